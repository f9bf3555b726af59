// Robust statistics: medians, spreads, paired ratios, rank tests.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace crosswarp {

struct Interval {
  double low = 0;
  double high = 0;
};

/// A ratio with the prediction interval of another run's ratio.
struct Ratio {
  double value = 0;
  Interval interval;
  bool noisy = false;  ///< By disturbed samples on either side.
};

/// The q-quantile (0 … 1), interpolated. NaN for no samples.
double quantile(std::span<const double> samples, double q);
double median(std::span<const double> samples);

/// Half the interquartile range, relative to the median.
double spread(std::span<const double> samples);

/// 95 % confidence interval of the median from order statistics, for any distribution. The whole range for fewer than
/// six samples.
Interval median_interval(std::span<const double> samples);
inline constexpr std::size_t least_for_median_interval = 6;

/// Samples of a cell by placement of its buffers.
using Placements = std::vector<std::vector<double>>;

/// Mean over placements of the median within each. Addresses decide which cache slices and memory channels serve the
/// buffers, which is worth several per cent and random in each run: medians within a placement are robust against
/// interruptions, and their mean converges over placements. NaN for no samples.
double location(const Placements& samples);

/// 95 % prediction interval of another run's location(), of as many placements: from the differences between these
/// (Student's t). It leaves out whatever all placements of a run share, such as its clocks. NaN for fewer than two.
Interval location_interval(const Placements& samples);

/// Median of each placement with samples: the independent observations in a comparison of runs, since samples of one
/// placement are correlated.
std::vector<double> medians(const Placements& samples);

/// All samples in order of time.
std::vector<double> flatten(const Placements& samples);

/// Mean over placements of the median of numerator[p][i] / denominator[p][i]. Sample i of both is from the same round,
/// so that drift cancels; unpaired samples are left out.
///
/// The interval is a 95 % *prediction* interval for one more placement. It covers another run's ratio, which is a mean
/// of placements but has causes of its own, such as code addresses. NaN for a single placement.
Ratio paired_ratio(const Placements& numerator, const Placements& denominator);

/// location(numerator) / location(denominator) of two runs, whose placements are independent. The interval is a 95 %
/// confidence interval over placements (Welch's, on a logarithmic scale), without differences between whole runs; NaN
/// for a single placement. Requires samples of both.
Ratio location_ratio(const Placements& numerator, const Placements& denominator);

/// Wilcoxon-Mann-Whitney test: whether numbers of one set tend to be larger than those of another.
struct RankTest {
  double superiority = 0;  ///< Probability that one of `b` exceeds one of `a`; ties count half.
  double p = 1;            ///< Two-sided p-value.
};

/// By the normal approximation, corrected for ties and continuity; slightly conservative for small sets. Requires
/// non-empty sets.
RankTest rank_test(std::span<const double> a, std::span<const double> b);

/// Min p-value for sets of these sizes: that of disjoint ranges.
double least_p(std::size_t a, std::size_t b);

/// p-values adjusted by Holm's method, in the given order. Controls the family-wise error rate for any dependence
/// between the tests.
std::vector<double> holm(const std::vector<double>& p);

/// Requires positive numbers. NaN for none.
double geometric_mean(std::span<const double> values);

}  // namespace crosswarp
