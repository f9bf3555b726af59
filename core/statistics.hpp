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

/// The median within each placement that has samples: as far as two runs are concerned, the independent draws. Samples
/// of one placement resemble each other far more than those of two.
std::vector<double> medians(const Placements& samples);

/// All samples in the order in which they were taken.
std::vector<double> flatten(const Placements& samples);

/// How much longer `numerator` takes: the mean over placements of the median of numerator[p][i] / denominator[p][i].
/// Sample i of both comes from the same round, so that drift cancels; what only one of them has is left out.
///
/// The interval is a 95 % *prediction* interval for one more placement, from the differences between those that were
/// measured. Another run's ratio, the mean of its own placements, scatters less but has causes of its own (the
/// program's code lies elsewhere, too): the interval covers it. It is NaN where there is only one placement.
Ratio paired_ratio(const Placements& numerator, const Placements& denominator);

/// location(numerator) / location(denominator) of two runs, whose placements have nothing to do with each other. The
/// interval is a 95 % confidence interval from the differences between placements (Welch's, on a logarithmic scale);
/// NaN where either has only one. What a whole run has in common is not in it. Both must have samples.
Ratio location_ratio(const Placements& numerator, const Placements& denominator);

/// Whether numbers of one set tend to be larger than those of another: Wilcoxon, Mann and Whitney's test.
struct RankTest {
  double superiority = 0;  ///< How often one of `b` exceeds one of `a`; equal ones count half. 0.5: neither is larger.
  double p = 1;            ///< Two-sided: how often sets without a difference look at least as different.
};

/// By the normal approximation, corrected for ties and continuity, which is a little cautious with few numbers. Neither
/// set may be empty.
RankTest rank_test(std::span<const double> a, std::span<const double> b);

/// The p of sets of these sizes that do not overlap at all: a test of fewer numbers cannot find more.
double least_p(std::size_t a, std::size_t b);

/// The p values adjusted by Holm's method, in the order given: to call all those up to 0.05 different is wrong, even
/// once, in at most 5 % of families without differences, however the tests depend on each other.
std::vector<double> holm(const std::vector<double>& p);

/// Of positive numbers; NaN of none.
double geometric_mean(std::span<const double> values);

}  // namespace crosswarp
