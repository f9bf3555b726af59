// A warp per row, whose lanes take neighbouring columns, eight loads in flight each. The lanes read neighbours where
// rows are contiguous; where columns are, each reads a sector of its own.
#include "backends/cuda/device/block_reduce.hpp"
#include "backends/cuda/matrix_layout/matrix.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 128;

template <class Matrix>
__global__ void __launch_bounds__(block) add_rows_by_warps(Matrix matrix, float* out) {
  const std::size_t row = std::size_t{blockIdx.x} * (block / warp_size()) + threadIdx.x / warp_size();
  if (row >= matrix.rows) return;
  const unsigned lane = threadIdx.x % warp_size();
  float sum = 0;
#pragma unroll 8
  for (std::size_t column = lane; column < matrix.columns; column += warp_size()) sum += matrix(row, column);
  sum = warp_reduce(sum, Sum());
  if (lane == 0) out[row] = sum;
}

void run(const Queue& queue, const MatrixLayout::Args& args) {
  with_matrix(args, [&](auto matrix) {
    const auto rows_per_block = block / static_cast<unsigned>(queue.device.warp_size);
    launch(add_rows_by_warps<decltype(matrix)>, blocks_for(args.rows(), rows_per_block), block, 0, queue, matrix,
           args.out.data());
  });
}

const Register<MatrixLayout> variant{{
    .idea = "a warp per row, its lanes on neighbouring columns, eight loads in flight each",
    .bound_by = "memory where rows are contiguous, else sectors of which each lane uses 4 bytes",
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
