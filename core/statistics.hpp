// What samples say: medians, spreads, and ratios of cells that were sampled side by side.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace crosswarp {

struct Interval {
  double low = 0;
  double high = 0;
};

/// A ratio with the interval in which another run's ratio is expected.
struct Ratio {
  double value = 0;
  Interval interval;
};

/// The q-quantile (0 … 1), interpolated. NaN where there are no samples.
double quantile(std::span<const double> samples, double q);
double median(std::span<const double> samples);

/// Half the distance between the quartiles, relative to the median.
double spread(std::span<const double> samples);

/// The 95 % confidence interval of the median, from order statistics: no assumption on the distribution. With fewer
/// than six samples there is none, and the whole range is returned.
Interval median_interval(std::span<const double> samples);

/// The median of numerator[i] / denominator[i]: sample i of both comes from the same round, so that drift cancels. Both
/// are cut to the shorter.
///
/// The interval is a 95 % *prediction* interval for the median of another stretch of measuring, from the medians of (up
/// to eight) consecutive stretches of this one. The confidence interval of the median would be far narrower and would
/// not cover a second run, since neighbouring samples share clocks and temperature. With one sample it is the value
/// alone.
Ratio paired_ratio(std::span<const double> numerator, std::span<const double> denominator);

}  // namespace crosswarp
