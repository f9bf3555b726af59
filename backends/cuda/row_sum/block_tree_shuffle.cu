// block_tree with shuffles for the steps within a warp: fewer barriers and words of shared memory behind the same
// loads. Bound by latency, like its parent: what it saves does not take the time.
#include "backends/cuda/row_sum/tree_reduce.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = RowSum::block;

__global__ void __launch_bounds__(block)
    add_row_by_shuffle(const float* in, std::size_t rows, std::size_t columns, float* out) {
  const std::size_t row = blockIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (std::size_t column = threadIdx.x; column < columns; column += block) sum += in[row * columns + column];
  sum = tree_shuffle_sum<block>(sum);
  if (threadIdx.x == 0) out[row] = sum;
}

void sum(const Queue& queue, const RowSum::Args& args) {
  launch(add_row_by_shuffle, blocks_for(args.rows(), 1), block, 0, queue, args.in.data(), args.rows(), args.columns,
         args.out.data());
}

const Register<RowSum> variant{{
    .idea = "the tree's last steps by warp shuffles",
    .bound_by = "latency, one load in flight per thread",
    .improves = "block_tree",
    .applies = suits_block_per_row,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
