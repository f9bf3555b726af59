// block_tree whose last steps, within a warp, are shuffles: fewer barriers and words of shared memory behind the same
// loads. Bound by latency, as its parent is: what it saves is not what takes the time.
#include "backends/cuda/row_sum/row_tree.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = RowSum::block;

__global__ void __launch_bounds__(block)
    add_row_by_shuffle(const float* in, std::size_t rows, std::size_t columns, float* out) {
  const std::size_t row = blockIdx.x;
  if (row >= rows) return;
  const float sum = tree_shuffle_sum<block>(strided_sum<block>(in + row * columns, columns));
  if (threadIdx.x == 0) out[row] = sum;
}

void sum(const Queue& queue, const RowSum::Args& args) {
  launch(add_row_by_shuffle, blocks_for(args.rows(), 1), block, 0, queue, args.in.data(), args.rows(), args.columns,
         args.out.data());
}

const Register<RowSum> variant{{
    .idea = "the tree's last steps by shuffles: bound by latency, as its parent is",
    .improves = "block_tree",
    .applies = has_rows_for_blocks,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
