// k independent accumulators per thread, so that k loads are in flight at once: a single chain of additions allows
// that, too, but does not ask for it. Bound by latency where k · 256 elements are much of a row, then by memory
// bandwidth.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/row_sum/tree_reduce.hpp"

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
  for (unsigned i = 0; i + 1 < k; ++i)  // fewer than k strides are left
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
    .idea = "k accumulators, hence k loads in flight per thread",
    .bound_by = "latency while k strides are most of a row, then memory bandwidth",
    .improves = "block_tree_shuffle",
    .tunings = {{{{"k", RowSum::ilp_default}}}, {{{"k", 1}}}, {{{"k", 2}}}, {{{"k", 3}}}, {{{"k", 10}}}},
    .applies = suits_block_per_row,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
