// What dispatchers choose from.
#pragma once

#include <functional>

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// A way to solve a problem of `E`.
template <class E>
struct Candidate {
  std::function<void(const Queue&, const typename E::Args&)> launch;
  std::size_t workspace_bytes = 0;
  /// Its workspace holds counters, zeros before the first launch and after each: no other kernel may write there.
  bool keeps_counters = false;
};

/// A candidate by a cost model.
template <class E>
struct Choice {
  double cycles;  ///< Expected; infinite where no model expects anything.
  Candidate<E> candidate;
};

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
