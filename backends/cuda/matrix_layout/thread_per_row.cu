// A thread per row, eight loads in flight. The lanes of a warp read neighbours where columns are contiguous; where rows
// are, each reads a sector of its own, and finds its next elements in L1 only if they are still there.
#include "backends/cuda/matrix_layout/matrix.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 128;

template <class Matrix>
__global__ void __launch_bounds__(block) add_rows_by_threads(Matrix matrix, float* out) {
  const std::size_t row = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (row >= matrix.rows) return;
  float sum = 0;
#pragma unroll 8
  for (std::size_t column = 0; column < matrix.columns; ++column) sum += matrix(row, column);
  out[row] = sum;
}

void run(const Queue& queue, const MatrixLayout::Args& args) {
  with_matrix(args, [&](auto matrix) {
    launch(add_rows_by_threads<decltype(matrix)>, blocks_for(args.rows(), block), block, 0, queue, matrix,
           args.out.data());
  });
}

const Register<MatrixLayout> variant{{
    .idea = "a thread per row, eight loads in flight",
    .bound_by = "memory where columns are contiguous, else sectors of which each lane uses 4 bytes",
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
