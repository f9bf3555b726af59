// One block per row: strided 4-byte loads, then a tree in shared memory. Bound by latency, one load in flight per
// thread and barriers behind it, until rows are long and blocks many.
#include "backends/cuda/row_sum/tree_reduce.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = RowSum::block;

__global__ void __launch_bounds__(block) add_row(const float* in, std::size_t rows, std::size_t columns, float* out) {
  const std::size_t row = blockIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (std::size_t column = threadIdx.x; column < columns; column += block) sum += in[row * columns + column];
  sum = tree_sum<block>(sum);
  if (threadIdx.x == 0) out[row] = sum;
}

void sum(const Queue& queue, const RowSum::Args& args) {
  launch(add_row, blocks_for(args.rows(), 1), block, 0, queue, args.in.data(), args.rows(), args.columns,
         args.out.data());
}

const Register<RowSum> variant{{
    .idea = "one block per row: strided loads, a tree in shared memory",
    .bound_by = "latency, one load in flight per thread",
    .applies = suits_block_per_row,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
