// One block a row: its threads add strided elements, a tree in shared memory adds what they have. One load in flight
// for each thread, and barriers behind it: bound by latency until rows are long and blocks many.
#include "backends/cuda/row_sum/row_tree.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = RowSum::block;

__global__ void __launch_bounds__(block) add_row(const float* in, std::size_t rows, std::size_t columns, float* out) {
  const std::size_t row = blockIdx.x;
  if (row >= rows) return;
  const float sum = tree_sum<block>(strided_sum<block>(in + row * columns, columns));
  if (threadIdx.x == 0) out[row] = sum;
}

void sum(const Queue& queue, const RowSum::Args& args) {
  launch(add_row, blocks_for(args.rows(), 1), block, 0, queue, args.in.data(), args.rows(), args.columns,
         args.out.data());
}

const Register<RowSum> variant{{
    .idea = "one block a row, one load in flight per thread, a tree in shared memory: bound by latency",
    .applies = has_rows_for_blocks,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
