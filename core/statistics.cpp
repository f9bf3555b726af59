// Order statistics throughout: timings are skewed, and one interrupted sample must not move a result.
#include "core/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace crosswarp {

double quantile(std::span<const double> samples, double q) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
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
  // As many samples lie below the median as heads fall in n throws.
  const auto n = static_cast<double>(sorted.size());
  const auto low = static_cast<std::size_t>(boost::math::quantile(boost::math::binomial(n, 0.5), 0.025));
  return {sorted[low], sorted[sorted.size() - 1 - low]};
}

double location(const Placements& samples) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (const auto& placement : samples) sum += median(placement);
  return sum / static_cast<double>(samples.size());
}

std::vector<double> flatten(const Placements& samples) {
  std::vector<double> all;
  for (const auto& placement : samples) all.insert(all.end(), placement.begin(), placement.end());
  return all;
}

Ratio paired_ratio(const Placements& numerator, const Placements& denominator) {
  std::vector<double> medians;  // of each placement
  for (std::size_t p = 0; p < std::min(numerator.size(), denominator.size()); ++p) {
    std::vector<double> ratios(std::min(numerator[p].size(), denominator[p].size()));
    for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = numerator[p][i] / denominator[p][i];
    if (!ratios.empty()) medians.push_back(median(ratios));
  }
  const auto count = static_cast<double>(medians.size());
  const double mean = std::accumulate(medians.begin(), medians.end(), 0.0) / count;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (medians.size() < 2) return {mean, {unknown, unknown}};
  double squares = 0;
  for (const double m : medians) squares += (m - mean) * (m - mean);
  const double deviation = std::sqrt(squares / (count - 1));
  const double t = boost::math::quantile(boost::math::students_t(count - 1), 0.975);
  const double half = t * deviation * std::sqrt(1 + 1 / count);
  return {mean, {std::max(0.0, mean - half), mean + half}};
}

}  // namespace crosswarp
