// Changes between two runs: faster, slower or within noise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/statistics.hpp"

namespace crosswarp {

enum class ChangeKind {
  within_noise,  ///< Below the threshold, or no larger than differences between placements.
  faster,
  slower,
  no_verdict,  ///< Above the threshold, but with too few placements to test.
  noisy,       ///< Faster or slower, but by disturbed samples.
};
std::string to_string(ChangeKind kind);

/// One cell in two runs. Both have samples.
struct TwoRuns {
  Placements before, after;
  double least_change = 0;  ///< Threshold: 0.02 for a factor of 1.02.
  bool noisy = false;       ///< Either run was disturbed.
};

struct Change {
  ChangeKind kind = ChangeKind::within_noise;
  Ratio ratio;                   ///< Time after over time before: location_ratio().
  std::optional<RankTest> test;  ///< Of the placements' medians, with adjusted p; none for too few placements.
  double least_change = 0;       ///< The threshold applied.
};

/// Family-wise error rate: the probability of any false finding between two runs without differences.
inline constexpr double family_error = 0.05;

/// One change per cell. A cell is faster or slower if the ratio of its times exceeds the threshold, the rank test over
/// its placements' medians is significant (adjusted for the number of cells), and both agree in direction. With too few
/// placements for significance, the threshold is `untested_change` and there is no test; the cell has no verdict where
/// the ratio's interval holds 1.
///
/// Both are needed: the test alone finds the causes that differ between any two runs (code addresses, the driver's
/// memory); the ratio alone finds differences between placements, which reach several per cent.
std::vector<Change> changes(const std::vector<TwoRuns>& cells, double untested_change);

}  // namespace crosswarp
