// What limits a result, in words: which ceiling its time is near, and how far away from it it is.
#pragma once

#include <optional>
#include <string>

#include "core/result.hpp"

namespace crosswarp {

struct BoundInWords {
  std::string words;           ///< `memory: 99 % of measured peak; at most 1.01 × to gain`
  std::optional<double> gain;  ///< The most that could still be gained: time over the least that any ceiling allows.
};

/// Nothing where the result has no time. Ceilings are those for what the *problem* needs: memory as measured,
/// arithmetic by its theoretical peak, an empty launch. A time that none of them explains is explained by the counters
/// where there are some, and else is said not to be explained.
std::optional<BoundInWords> bound_in_words(const Result& result);

}  // namespace crosswarp
