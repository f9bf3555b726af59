// What host variants are written against: plain C++ with OpenMP. A launch runs where it is called.
#pragma once

#include <string_view>

#include "core/variant.hpp"

namespace crosswarp::host {

struct Queue : LaunchContext {
  static constexpr std::string_view backend = "host";

  Queue(Device&, LaunchContext context) : LaunchContext(context) {}
};

/// Registers the variant that stands in this file.
template <class E>
using Register = crosswarp::Register<E, Queue>;

}  // namespace crosswarp::host
