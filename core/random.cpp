// Exact sums of lattice inputs, in integers. Bound by the generator.
#include "core/random.hpp"

#include <cstring>

namespace crosswarp {

void fill_elements(const TypedSpan& to, const Elements& elements) {
  std::visit(
      [&]<class T>(std::span<T> typed) {
        T* const data = typed.data();
        const std::size_t n = typed.size();
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < n; ++i) data[i] = elements.at<T>(i);
      },
      to);
}

double exact_sum(const Lattice& elements, std::uint64_t n) {
  std::int64_t steps = 0;
#pragma omp parallel for reduction(+ : steps) schedule(static)
  for (std::uint64_t i = 0; i < n; ++i) steps += elements.steps(i);
  return static_cast<double>(steps) * static_cast<double>(elements.step());
}

std::vector<float> exact_sums(const Lattice& elements, std::uint64_t rows, std::uint64_t columns) {
  std::vector<float> sums(rows);
  const auto sum = [&](std::uint64_t row, std::int64_t steps) {
    sums[row] = static_cast<float>(steps) * elements.step();
  };
  if (rows >= 256) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t row = 0; row < rows; ++row) {
      std::int64_t steps = 0;
      for (std::uint64_t i = row * columns; i < (row + 1) * columns; ++i) steps += elements.steps(i);
      sum(row, steps);
    }
    return sums;
  }
  for (std::uint64_t row = 0; row < rows; ++row) {  // few rows: all cores on each
    std::int64_t steps = 0;
#pragma omp parallel for reduction(+ : steps) schedule(static) if (columns > 4096)
    for (std::uint64_t i = row * columns; i < (row + 1) * columns; ++i) steps += elements.steps(i);
    sum(row, steps);
  }
  return sums;
}

void fill_permutation(std::span<std::uint32_t> to, const Permutation& order) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::uint32_t>(order(i));
}

void fill_chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order, std::uint64_t origin) {
#pragma omp parallel for schedule(static)
  for (std::uint64_t i = 0; i < order.size; ++i) {
    const std::uint64_t next = origin + order(i + 1 < order.size ? i + 1 : 0) * stride;
    std::memcpy(memory.data() + order(i) * stride, &next, sizeof next);
  }
}

}  // namespace crosswarp
