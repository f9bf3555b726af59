// Order statistics: timings are skewed, and one interrupted sample must not move a result.
#include "core/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace crosswarp {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct Moments {
  double count, mean, variance;  ///< Variance: NaN for fewer than two.
};

Moments moments(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return {count, mean, values.size() < 2 ? unknown : squares / (count - 1)};
}

/// Two-sided 95 % quantile of Student's t distribution.
double t_quantile(double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), 0.975);
}

/// Of a positive number.
Interval around(double value, double half) { return {std::max(0.0, value - half), value + half}; }

/// p-value by `distance`, of the Mann-Whitney statistic from its expectation, with continuity correction.
double rank_p(double distance, double variance) {
  if (variance <= 0) return 1;  // all equal
  const double z = std::max(0.0, distance - 0.5) / std::sqrt(variance);
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), z));
}

/// `ties`: the sum over groups of t equal numbers of t³ - t.
double rank_variance(double a, double b, double ties) {
  const double n = a + b;
  return a * b / 12 * (n + 1 - ties / (n * (n - 1)));
}

}  // namespace

double quantile(std::span<const double> samples, double q) {
  if (samples.empty()) return unknown;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median(std::span<const double> samples) { return quantile(samples, 0.5); }

double spread(std::span<const double> samples) {
  return (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / median(samples);
}

Interval median_interval(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty()) return {};
  if (sorted.size() < least_for_median_interval) return {sorted.front(), sorted.back()};
  // The number of samples below the median is binomial with p = 1/2.
  const auto n = static_cast<double>(sorted.size());
  const auto low = static_cast<std::size_t>(boost::math::quantile(boost::math::binomial(n, 0.5), 0.025));
  return {sorted[low], sorted[sorted.size() - 1 - low]};
}

double location(const Placements& samples) { return moments(medians(samples)).mean; }

Interval location_interval(const Placements& samples) {
  const Moments m = moments(medians(samples));
  if (m.count < 2) return {unknown, unknown};
  return around(m.mean, t_quantile(m.count - 1) * std::sqrt(m.variance * 2 / m.count));
}

std::vector<double> medians(const Placements& samples) {
  std::vector<double> all;
  for (const auto& placement : samples)
    if (!placement.empty()) all.push_back(median(placement));
  return all;
}

std::vector<double> flatten(const Placements& samples) {
  std::vector<double> all;
  for (const auto& placement : samples) all.insert(all.end(), placement.begin(), placement.end());
  return all;
}

Ratio paired_ratio(const Placements& numerator, const Placements& denominator) {
  Placements ratios(std::min(numerator.size(), denominator.size()));
  for (std::size_t p = 0; p < ratios.size(); ++p) {
    ratios[p].resize(std::min(numerator[p].size(), denominator[p].size()));
    for (std::size_t i = 0; i < ratios[p].size(); ++i) ratios[p][i] = numerator[p][i] / denominator[p][i];
  }
  const Moments m = moments(medians(ratios));
  if (m.count < 2) return {m.mean, {unknown, unknown}};
  const double half = t_quantile(m.count - 1) * std::sqrt(m.variance * (1 + 1 / m.count));
  return {m.mean, around(m.mean, half)};
}

Ratio location_ratio(const Placements& numerator, const Placements& denominator) {
  const Moments a = moments(medians(numerator)), b = moments(medians(denominator));
  const double value = a.mean / b.mean;
  const auto squared_error = [](const Moments& m) { return m.variance / m.count / (m.mean * m.mean); };
  const double of_a = squared_error(a), of_b = squared_error(b), both = of_a + of_b;
  if (both == 0) return {value, {value, value}};
  if (std::isnan(both)) return {value, {unknown, unknown}};
  const double freedom = both * both / (of_a * of_a / (a.count - 1) + of_b * of_b / (b.count - 1));
  const double half = t_quantile(freedom) * std::sqrt(both);
  return {value, {value * std::exp(-half), value * std::exp(half)}};
}

RankTest rank_test(std::span<const double> a, std::span<const double> b) {
  double above = 0;  // pairs with b > a
  std::map<double, double> equal;
  for (const double x : a) {
    ++equal[x];
    for (const double y : b) above += y > x ? 1.0 : y == x ? 0.5 : 0.0;
  }
  for (const double y : b) ++equal[y];
  double ties = 0;
  for (const auto& [value, t] : equal) ties += t * t * t - t;
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  return {above / (n * m), rank_p(std::abs(above - n * m / 2), rank_variance(n, m, ties))};
}

double least_p(std::size_t a, std::size_t b) {
  const auto n = static_cast<double>(a), m = static_cast<double>(b);
  return rank_p(n * m / 2, rank_variance(n, m, 0));
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double so_far = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    so_far = std::max(so_far, std::min(1.0, static_cast<double>(order.size() - rank) * p[order[rank]]));
    adjusted[order[rank]] = so_far;
  }
  return adjusted;
}

double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += std::log(v);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace crosswarp
