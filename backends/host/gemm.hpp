// GEMM of row-major matrices of float or double on all cores, for any type of C. Bound by the loads of B.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace crosswarp::host {

/// Calls store(i, c) for each element c of C = A·B, A of m × k and B of k × n.
template <class T, class Store>
void gemm(const T* a, const T* b, std::size_t m, std::size_t n, std::size_t k, Store&& store) {
  constexpr std::size_t width = 256;  // columns: their accumulators stay in L1
  const std::size_t panels = (n + width - 1) / width;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < m * panels; ++i) {
    // Rows run fastest: a panel of B stays in a core's cache from row to row.
    const std::size_t row = i % m, first = i / m * width, count = std::min(width, n - first);
    std::array<T, width> sums{};
    for (std::size_t l = 0; l < k; ++l) {
      const T a_element = a[row * k + l];
      const T* const b_row = b + l * n + first;
      for (std::size_t column = 0; column < count; ++column) sums[column] += a_element * b_row[column];
    }
    for (std::size_t column = 0; column < count; ++column) store(row * n + first + column, sums[column]);
  }
}

}  // namespace crosswarp::host
