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
inline constexpr std::size_t least_for_median_interval = 6;

/// Samples of one cell, by placement: each placement has its buffers at other addresses.
using Placements = std::vector<std::vector<double>>;

/// The mean over placements of the median within each. Where buffers lie decides which cache slices and memory channels
/// serve them, which can be worth several per cent and is drawn anew in every run: medians within a placement are
/// robust against interruptions, their mean settles however the placements fall. NaN where there are no samples.
double location(const Placements& samples);

/// All samples in the order in which they were taken.
std::vector<double> flatten(const Placements& samples);

/// How much longer `numerator` takes: the mean over placements of the median of numerator[p][i] / denominator[p][i].
/// Sample i of both comes from the same round, so that drift cancels; what only one of them has is left out.
///
/// The interval is a 95 % *prediction* interval for one more placement, from the differences between those that were
/// measured. Another run's ratio, the mean of its own placements, scatters less but has causes of its own (the
/// program's code lies elsewhere, too): the interval covers it. It is NaN where there is only one placement.
Ratio paired_ratio(const Placements& numerator, const Placements& denominator);

}  // namespace crosswarp
