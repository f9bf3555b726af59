// OpenMP over blocks of rows, vectorized along the contiguous dimension. Bound by memory bandwidth.
#include <algorithm>
#include <array>

#include "backends/host/queue.hpp"
#include "experiments/matrix_layout.hpp"

namespace crosswarp::host {
namespace {

constexpr std::size_t block = 256;  // rows, whose sums stay in L1

void sum(const Queue&, const MatrixLayout::Args& args) {
  const float* const in = args.in.data();
  const std::size_t rows = args.rows(), columns = args.columns;
  if (args.order == MatrixOrder::right) {
#pragma omp parallel for schedule(static)
    for (std::size_t row = 0; row < rows; ++row) {
      const float* const from = in + row * columns;
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::size_t column = 0; column < columns; ++column) sum += from[column];
      args.out[row] = sum;
    }
    return;
  }
#pragma omp parallel for schedule(static)
  for (std::size_t first = 0; first < rows; first += block) {
    const std::size_t count = std::min(block, rows - first);
    std::array<float, block> sums{};
    for (std::size_t column = 0; column < columns; ++column) {
      const float* const from = in + column * rows + first;
#pragma omp simd
      for (std::size_t i = 0; i < count; ++i) sums[i] += from[i];
    }
    std::copy_n(sums.begin(), count, args.out.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

const Register<MatrixLayout> variant{{
    .idea = "OpenMP over blocks of rows, vectorized along the contiguous dimension",
    .bound_by = "memory bandwidth",
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::host
