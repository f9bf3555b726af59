// block_tree on an oversized grid, one block per 256 elements: all but one per row exit at once. Bound by latency, like
// block_tree, and by starting blocks without work.
//
// A rung that improves nothing: some notes on this kernel measured it, and took it for the kernel's own occupancy.
#include "backends/cuda/row_sum/tree_reduce.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = RowSum::block;

__global__ void __launch_bounds__(block)
    add_row_if_any(const float* in, std::size_t rows, std::size_t columns, float* out) {
  const std::size_t row = blockIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (std::size_t column = threadIdx.x; column < columns; column += block) sum += in[row * columns + column];
  sum = tree_sum<block>(sum);
  if (threadIdx.x == 0) out[row] = sum;
}

/// That grid has a block for every row only if rows are no shorter than a block; and a grid has a limit.
bool applies(const Point& point) {
  const std::int64_t m = point.integer("m"), n = point.integer("n");
  return n >= block && suits_block_per_row(point) && m <= (std::int64_t{1} << 31) / n * block - 1;
}

void sum(const Queue& queue, const RowSum::Args& args) {
  launch(add_row_if_any, blocks_for(args.in.size(), block), block, 0, queue, args.in.data(), args.rows(), args.columns,
         args.out.data());
  note_useful_blocks(queue, args.rows());
}

const Register<RowSum> variant{{
    .idea = "block_tree on a grid of one block per 256 elements, all but one per row exit at once; improves nothing",
    .bound_by = "latency, and starting blocks without work",
    .applies = applies,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
