// What host variants are written against: plain C++ with OpenMP. A launch runs where it is called; that of a rank, on
// its thread.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "core/host_ranks.hpp"
#include "core/variant.hpp"

namespace crosswarp::host {

struct Queue : LaunchContext {
  static constexpr std::string_view backend = "host";

  Queue(Device& device, LaunchContext context) : LaunchContext(context), rank(dynamic_cast<HostRank*>(&device)) {}

  HostRank* rank;  ///< Null for a launch on one device.
};

/// Enqueues the work of one rank. Requires an experiment over ranks.
inline void enqueue(const Queue& queue, std::function<void()> work) { queue.rank->enqueue(std::move(work)); }

/// Registers the variant that stands in this file.
template <class E>
using Register = crosswarp::Register<E, Queue>;

}  // namespace crosswarp::host
