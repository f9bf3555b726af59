// The sum over a block: shuffles within warps, one word of shared memory for each warp.
#pragma once

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// The sum over the calling warp, in lane 0. Every lane must call it.
template <class T>
__device__ T warp_sum(T value) {
  for (unsigned delta = warp_size() / 2; delta > 0; delta /= 2) value += shuffle_down(value, delta);
  return value;
}

/// The sum over a one-dimensional block of `block_threads`, in thread 0. Every thread must call it, at most once
/// between two barriers. `block_threads` is a multiple of the warp size and at most the square of it.
template <unsigned block_threads, class T>
__device__ T block_sum(T value) {
  constexpr unsigned warps = block_threads / warp_size();
  static_assert(block_threads % warp_size() == 0 && warps <= warp_size());
  __shared__ T partial[warps];
  const unsigned lane = threadIdx.x % warp_size(), warp = threadIdx.x / warp_size();
  value = warp_sum(value);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  return warp == 0 ? warp_sum(lane < warps ? partial[lane] : T{}) : T{};
}

}  // namespace
}  // namespace crosswarp::gpu
