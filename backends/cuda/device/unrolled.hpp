// How many steps of a loop a kernel's code holds, chosen at the launch among what was compiled.
#pragma once

#include <type_traits>

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// Calls `launch` with that of `choices` which the tuning `unroll` names, as a constant. Throws Error where it names
/// none.
template <unsigned... choices>
void with_unroll(const Queue& queue, auto&& launch) {
  const auto asked = static_cast<unsigned>(queue.tuning["unroll"]);
  const bool found = ((asked == choices ? (launch(std::integral_constant<unsigned, choices>{}), true) : false) || ...);
  if (!found) throw Error("nothing was compiled for this unroll");
}

}  // namespace
}  // namespace crosswarp::gpu
