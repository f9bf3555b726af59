// What the rungs of one block a row share: the walk over a row by single elements, and trees in shared memory.
#pragma once

#include "backends/cuda/device/block_reduce.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::gpu {
namespace {

/// Adds partial[0] … partial[block-1], one by each thread, until `left` are left. Neighbouring threads add neighbouring
/// words, so that no two lanes of a warp meet in a bank. Ends with a barrier.
template <unsigned block, unsigned left>
__device__ void add_down_to(float* partial, float mine) {
  partial[threadIdx.x] = mine;
  for (unsigned stride = block / 2; stride >= left; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
  }
  __syncthreads();
}

/// The sum over the block, in thread 0, by a tree down to one word.
template <unsigned block>
__device__ float tree_sum(float mine) {
  __shared__ float partial[block];
  add_down_to<block, 1>(partial, mine);
  return threadIdx.x == 0 ? partial[0] : 0.0f;
}

/// The same by a tree down to a warp's words, which shuffles add.
template <unsigned block>
__device__ float tree_shuffle_sum(float mine) {
  __shared__ float partial[block];
  add_down_to<block, warp_size()>(partial, mine);
  return threadIdx.x < warp_size() ? warp_reduce(partial[threadIdx.x], Sum()) : 0.0f;
}

/// The share of the calling thread in the sum of a row, one element after the other.
template <unsigned block>
__device__ float strided_sum(const float* row, std::size_t columns) {
  float sum = 0;
  for (std::size_t column = threadIdx.x; column < columns; column += block) sum += row[column];
  return sum;
}

/// With a block a row, 2^24 rows take a hundredth of a second for their blocks alone.
inline bool has_rows_for_blocks(const Point& point) { return point.integer("m") <= 1 << 24; }

}  // namespace
}  // namespace crosswarp::gpu
