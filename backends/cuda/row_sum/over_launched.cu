// block_tree on a grid of a block for each 256 elements, as if blocks were for elements: all but one for each row leave
// at once. Bound as block_tree is, and by starting blocks that do nothing.
//
// A rung that improves nothing: what some notes on this kernel measured, and took for the kernel's own occupancy.
#include "backends/cuda/row_sum/row_tree.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = RowSum::block;

__global__ void __launch_bounds__(block)
    add_row_if_any(const float* in, std::size_t rows, std::size_t columns, float* out) {
  const std::size_t row = blockIdx.x;
  if (row >= rows) return;
  const float sum = tree_sum<block>(strided_sum<block>(in + row * columns, columns));
  if (threadIdx.x == 0) out[row] = sum;
}

/// That grid has a block for every row only where rows are no shorter than a block, and has a limit.
bool applies(const Point& point) {
  const std::int64_t m = point.integer("m"), n = point.integer("n");
  return n >= block && m <= 1 << 24 && m <= (std::int64_t{1} << 31) / n * block - 1;
}

void sum(const Queue& queue, const RowSum::Args& args) {
  launch(add_row_if_any, blocks_for(args.in.size(), block), block, 0, queue, args.in.data(), args.rows(), args.columns,
         args.out.data());
  note_useful_blocks(queue, args.rows());
}

const Register<RowSum> variant{{
    .idea = "improves nothing: block_tree with a block per 256 elements, of which all but one a row leave at once",
    .applies = applies,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
