// Text of a comparison with a reference.
#include "core/comparison.hpp"

#include <cmath>

namespace crosswarp {

Verdict verdict_on(const Comparison& found, const ErrorBound& bound, std::size_t sets, std::size_t elements,
                   const ElementName& name) {
  const std::uint64_t index = found.worst.index, beyond = found.worst.beyond;
  Verdict verdict{.ok = beyond == 0,
                  .error = std::abs(found.is - found.should_be),
                  .bound = bound.at(found.should_be),
                  .where = {}};
  if (beyond > 0)
    verdict.where =
        mismatch(name(index % elements) + " of input " + std::to_string(index / elements), found.is, found.should_be);
  if (beyond > 1)
    verdict.where += ", the worst of " + std::to_string(beyond) + " in " + std::to_string(sets * elements);
  return verdict;
}

}  // namespace crosswarp
