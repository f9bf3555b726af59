// Warp- and block-wide reductions: shuffles within each warp, one word of shared memory per warp between them.
#pragma once

#include <limits>

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

struct Sum {
  template <class A>
  static constexpr A identity = A{0};
  template <class A>
  __device__ A operator()(A a, A b) const {
    return a + b;
  }
};

struct Min {
  template <class A>
  static constexpr A identity = std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity()
                                                                     : std::numeric_limits<A>::max();
  template <class A>
  __device__ A operator()(A a, A b) const {
    return b < a ? b : a;
  }
};

struct Max {
  template <class A>
  static constexpr A identity = std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                                     : std::numeric_limits<A>::lowest();
  template <class A>
  __device__ A operator()(A a, A b) const {
    return a < b ? b : a;
  }
};

/// Reduces `value` over each group of `lanes` lanes, a power of two; valid in the group's first. Every lane must call
/// it.
template <unsigned lanes = warp_size(), class Op, class A>
__device__ A warp_reduce(A value, Op op) {
#pragma unroll
  for (unsigned delta = lanes / 2; delta > 0; delta /= 2) value = op(value, shuffle_down(value, delta));
  return value;
}

/// Reduces `value` over a one-dimensional block of `block` threads; valid in thread 0. Every thread must call it;
/// between two calls there must be a barrier. `block` is the warp size times a power of two, max the warp size squared.
template <unsigned block, class Op, class A>
__device__ A block_reduce(A value, Op op) {
  constexpr unsigned warps = block / warp_size();
  static_assert(block % warp_size() == 0 && (warps & (warps - 1)) == 0 && warps <= warp_size());
  value = warp_reduce(value, op);
  if constexpr (warps == 1) return value;
  __shared__ A partial[warps];
  const unsigned lane = threadIdx.x % warp_size(), warp = threadIdx.x / warp_size();
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  return warp == 0 ? warp_reduce<warps>(partial[lane % warps], op) : value;
}

}  // namespace
}  // namespace crosswarp::gpu
