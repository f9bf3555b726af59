// Whether cells are faster or slower in another run, and which differences are none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/statistics.hpp"

namespace crosswarp {

enum class ChangeKind {
  within_noise,  ///< The change is too small to count, or as large as those that placements bring about.
  faster,
  slower,
  no_verdict,  ///< It is large enough to count, but the placements are too few to tell it from their own differences.
};
std::string to_string(ChangeKind kind);

/// One cell in two runs. Both have samples.
struct TwoRuns {
  Placements before, after;
  double least_change = 0;  ///< From which on a change counts: 0.02 where times must differ by a factor of 1.02.
};

struct Change {
  ChangeKind kind = ChangeKind::within_noise;
  Ratio ratio;                   ///< Time after over time before: location_ratio().
  std::optional<RankTest> test;  ///< Of the placements' medians, p adjusted; none where they are too few.
  double least_change = 0;       ///< From which on a change counts here.
};

/// The odds of calling even one cell of two runs different that differ by placements only.
inline constexpr double family_error = 0.05;

/// One for each cell. A cell is faster or slower where the ratio of its times counts, the rank test over the medians of
/// its placements finds it, adjusted for the number of `cells`, and both point the same way. Where placements are too
/// few for any such finding the test is left out, and a change counts from `untested_change` on.
///
/// The test alone would not do: every run has causes of its own (other code addresses, another piece of the driver's
/// memory), which it sees with any number of placements. Nor would the ratio alone: placements differ by several per
/// cent.
std::vector<Change> changes(const std::vector<TwoRuns>& cells, double untested_change);

}  // namespace crosswarp
