// Last-block-done pattern (the CUDA samples' threadFenceReduction): the last block of a launch to finish goes on with
// the results of all; none waits. Bound by the latency of L2: a fence, then an atomic.
#pragma once

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// The threads that wrote a block's results.
enum class Writers { thread_0, all_threads };

/// Whether the calling block is the last of `count` to call this; it then sees what the others wrote before. Every
/// thread must call it; between two calls there must be a barrier. `finished`: a counter that is 0 before and after.
template <Writers writers>
__device__ bool is_last_block(unsigned* finished, unsigned count) {
  __shared__ bool is_last;
  if constexpr (writers == Writers::all_threads) {
    __threadfence();  // as below
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    if constexpr (writers == Writers::thread_0)
      __threadfence();  // release: the results are visible before the block counts as finished
    // Wraps to 0 at the last block, ready for the next launch.
    is_last = atomicInc(finished, count - 1) == count - 1;
  }
  __syncthreads();
  if (is_last) __threadfence();  // acquire: nothing is read before the counter was
  return is_last;
}

}  // namespace
}  // namespace crosswarp::gpu
