// Dispatch of a run-time value to a template argument.
#pragma once

#include <string>

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// Calls `use` with the one of `values` that equals `value`, as its template argument: `[&]<unsigned block>()`. Throws
/// Error where none does.
template <unsigned... values, class Use>
void with_constant(std::int64_t value, Use&& use) {
  if (!((value == values && (use.template operator()<values>(), true)) || ...))
    throw Error("no kernel was compiled for a tuning of " + std::to_string(value));
}

}  // namespace
}  // namespace crosswarp::gpu
