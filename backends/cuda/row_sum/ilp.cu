// k independent accumulators for each thread, so that k loads are in flight at once: what a chain of additions on one
// accumulator does not forbid, but does not ask for. Bound by latency where k · 256 elements are much of a row, then by
// memory.
#include "backends/cuda/row_sum/row_tree.hpp"
#include "backends/cuda/device/with_constant.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = RowSum::block;

template <unsigned k>
__global__ void __launch_bounds__(block)
    add_row_in_parallel(const float* in, std::size_t rows, std::size_t columns, float* out) {
  if (blockIdx.x >= rows) return;
  const float* const row = in + blockIdx.x * columns;
  float sums[k] = {};
  std::size_t column = threadIdx.x;
  for (; column + (k - 1) * block < columns; column += k * block)
#pragma unroll
    for (unsigned i = 0; i < k; ++i) sums[i] += row[column + i * block];
#pragma unroll
  for (unsigned i = 0; i + 1 < k; ++i)  // less than k strides are left, where k strides are more than a row: all of it
    if (column + i * block < columns) sums[i] += row[column + i * block];
#pragma unroll
  for (unsigned i = 1; i < k; ++i) sums[0] += sums[i];
  const float sum = tree_shuffle_sum<block>(sums[0]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

void sum(const Queue& queue, const RowSum::Args& args) {
  with_constant<1, 2, 3, 5, 10>(queue.tuning["k"], [&]<unsigned k>() {
    launch(add_row_in_parallel<k>, blocks_for(args.rows(), 1), block, 0, queue, args.in.data(), args.rows(),
           args.columns, args.out.data());
  });
}

const Register<RowSum> variant{{
    .idea = "k accumulators and so k loads in flight per thread: bound by latency while k strides are most of a row",
    .improves = "block_tree_shuffle",
    .tunings = {{{{"k", RowSum::ilp_default}}}, {{{"k", 1}}}, {{{"k", 2}}}, {{{"k", 3}}}, {{{"k", 10}}}},
    .applies = has_rows_for_blocks,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
