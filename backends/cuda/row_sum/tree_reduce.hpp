// Block-wide sums by a tree in shared memory.
#pragma once

#include "backends/cuda/device/block_reduce.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::gpu {
namespace {

/// Adds `mine` of all threads, a value each, until `left` values are left in partial[0] … Neighbouring threads add
/// neighbouring words: no bank conflicts. Ends with a barrier.
template <unsigned block, unsigned left>
__device__ void tree_down_to(float* partial, float mine) {
  partial[threadIdx.x] = mine;
  for (unsigned stride = block / 2; stride >= left; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
  }
  __syncthreads();
}

/// The sum over the block by a tree down to one word; valid in thread 0.
template <unsigned block>
__device__ float tree_sum(float mine) {
  __shared__ float partial[block];
  tree_down_to<block, 1>(partial, mine);
  return threadIdx.x == 0 ? partial[0] : 0.0f;
}

/// The same by a tree down to one warp, whose last steps are shuffles.
template <unsigned block>
__device__ float tree_shuffle_sum(float mine) {
  __shared__ float partial[block];
  tree_down_to<block, warp_size()>(partial, mine);
  return threadIdx.x < warp_size() ? warp_reduce(partial[threadIdx.x], Sum()) : 0.0f;
}

/// For variants with one block per row: 2^24 rows take a hundredth of a second for their blocks alone.
inline bool suits_block_per_row(const Point& point) { return point.integer("m") <= 1 << 24; }

}  // namespace
}  // namespace crosswarp::gpu
