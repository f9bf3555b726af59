// The oracle of sums over lattice inputs: integers, so that it is exact; one pass of the generator bounds it.
#include "core/random.hpp"

namespace crosswarp {

double exact_sum(const Lattice& elements, std::uint64_t n) {
  std::int64_t steps = 0;
#pragma omp parallel for reduction(+ : steps) schedule(static)
  for (std::uint64_t i = 0; i < n; ++i) steps += elements.steps(i);
  return static_cast<double>(steps) * static_cast<double>(elements.step());
}

}  // namespace crosswarp
