// The product of two row-major matrices of floats on all cores, for any type of C.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace crosswarp::host {

/// store(i, c) for each element c[i] of C = A·B, where A is m × k, B is k × n.
template <class Store>
void multiply(const float* a, const float* b, std::size_t m, std::size_t n, std::size_t k, Store&& store) {
  constexpr std::size_t width = 256;  // columns whose sums stay in the first cache
  const std::size_t pieces = (n + width - 1) / width;
#pragma omp parallel for schedule(static)
  for (std::size_t piece = 0; piece < m * pieces; ++piece) {
    // Neighbours have the same columns of B, which stay in a core's cache from row to row.
    const std::size_t row = piece % m, first = piece / m * width, count = std::min(width, n - first);
    std::array<float, width> sums{};
    for (std::size_t l = 0; l < k; ++l) {
      const float factor = a[row * k + l];
      const float* const of_b = b + l * n + first;
      for (std::size_t column = 0; column < count; ++column) sums[column] += factor * of_b[column];
    }
    for (std::size_t column = 0; column < count; ++column) store(row * n + first + column, sums[column]);
  }
}

}  // namespace crosswarp::host
