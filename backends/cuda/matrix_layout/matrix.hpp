// A matrix of either order as a kernel parameter.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/matrix_layout.hpp"

namespace crosswarp::gpu {
namespace {

/// MatrixLayout::Args; the order is a constant of the kernel, as a View's layout is of its type.
template <MatrixOrder order>
struct Matrix {
  const float* in;
  std::size_t rows, columns;

  __device__ float operator()(std::size_t row, std::size_t column) const {
    return in[order == MatrixOrder::right ? row * columns + column : column * rows + row];
  }
};

/// Calls `use` with the matrix: `[&](auto matrix)`.
template <class Use>
void with_matrix(const MatrixLayout::Args& args, Use&& use) {
  if (args.rows() == 0) return;
  if (args.order == MatrixOrder::right)
    use(Matrix<MatrixOrder::right>{args.in.data(), args.rows(), args.columns});
  else
    use(Matrix<MatrixOrder::left>{args.in.data(), args.rows(), args.columns});
}

}  // namespace
}  // namespace crosswarp::gpu
