// Detects the levels of a memory hierarchy in latencies over footprints, without a table of cache sizes.
#pragma once

#include <cstddef>
#include <vector>

namespace crosswarp {

/// A point of a latency curve. The latency may have any unit.
struct LatencyAt {
  double bytes;
  double latency;
};

/// A level of the hierarchy: a range of footprints with the same latency.
struct Level {
  double latency;                   ///< Median over its points.
  std::size_t first = 0, last = 0;  ///< Indices of its first and last point in the curve.
};

/// Max difference between the latencies of one level, relative to the lowest.
inline constexpr double level_tolerance = 0.04;

/// The levels of `curve`, whose footprints must ascend, from the smallest to the largest footprint.
///
/// A level is a run of at least three points whose latencies differ by at most `tolerance` and whose footprints span at
/// least a factor of 1.25. So points on the slope between two levels belong to neither. The search takes the longest
/// run first, then repeats on both sides of it. It then merges neighbours of the same latency, across a stray point
/// between them. Of neighbours less than 10 % apart it drops the shorter one: the flat end of the slope towards the
/// other.
std::vector<Level> find_levels(const std::vector<LatencyAt>& curve, double tolerance = level_tolerance);

/// Two groups of numbers, split where the variance between them is largest (Otsu, IEEE Trans. SMC 1979).
struct TwoModes {
  double near, far;   ///< Median of the lower and of the upper group.
  double near_share;  ///< Share of the lower group.
};

/// Splits `values`, at least one, without the outermost 1 % at either end: misses and interrupts. With a single mode
/// the two groups lie close together.
TwoModes two_modes(std::vector<double> values);

}  // namespace crosswarp
