// What a comparison with a reference says of all sets of a problem.
#pragma once

#include <functional>
#include <string>

#include "core/experiment.hpp"
#include "core/reference.hpp"

namespace crosswarp {

/// Name of an element: `row 3, column 5`.
using ElementName = std::function<std::string(std::size_t index)>;

/// `found`: of `sets` results of `elements` each, one behind the other. Names the worst element and the number of those
/// beyond their bounds.
Verdict verdict_on(const Comparison& found, const ErrorBound& bound, std::size_t sets, std::size_t elements,
                   const ElementName& name);

}  // namespace crosswarp
