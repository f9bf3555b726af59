// A warp a row, any length, any alignment. Bound by memory where rows are many and a few kilobytes long: no barrier, no
// shared memory, and all loads of a short row in flight at once.
#pragma once

#include "backends/cuda/device/block_reduce.hpp"
#include "backends/cuda/row_sum/row_part.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned row_warps_block = 128;

template <unsigned unroll>
__global__ void __launch_bounds__(row_warps_block, blocks_with_loads(row_warps_block, unroll))
    add_rows_by_warps(const float* __restrict__ in, std::size_t rows, std::size_t columns, float* __restrict__ out) {
  const std::size_t row = std::size_t{blockIdx.x} * (row_warps_block / warp_size()) + threadIdx.x / warp_size();
  if (row >= rows) return;
  const unsigned lane = threadIdx.x % warp_size();
  const float sum = warp_reduce(part_sum<warp_size(), unroll>(in + row * columns, columns, lane), Sum());
  if (lane == 0) out[row] = sum;
}

/// `unroll`: 16-byte loads that each lane has in flight.
template <unsigned unroll>
void sum_by_warps(const Queue& queue, const RowSum::Args& args) {
  const auto per_block = row_warps_block / static_cast<unsigned>(queue.device.warp_size);
  launch(add_rows_by_warps<unroll>, blocks_for(args.rows(), per_block), row_warps_block, 0, queue, args.in.data(),
         args.rows(), args.columns, args.out.data());
}

}  // namespace
}  // namespace crosswarp::gpu
