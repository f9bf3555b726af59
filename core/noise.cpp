// Thresholds: far above quiet machines, below what makes a comparison wrong.
#include "core/noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/format.hpp"

namespace crosswarp {
namespace {

// Half the difference that `bench compare` reports between two runs on a host.
constexpr double max_waited = 0.05;
// 90th percentile over the median, less 1. In 2980 rows of a quiet H200 it is 0.22 at most, and 0.06 below 6 µs.
constexpr double max_tail = 0.5;
constexpr double max_floor_tail = 0.2;  // the same of empty launches, in the row's time

/// The fastest of the slowest tenth over the median, without the slowest one: any sample may be interrupted.
double slow_tenth(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[(samples.size() - 1) * 9 / 10] / median(samples);
}

}  // namespace

std::string noise(const Result& result) {
  const auto time = result.time();
  if (!time || !(*time > 0)) return {};  // NaN: no samples
  if (const auto waited = result.measurement.waited) {
    if (*waited >= max_waited) return fmt::format("waited for a processor {} of the time", percent(waited));
  } else if (result.floor_p90 - result.floor >= max_floor_tail * *time) {
    return fmt::format("an empty launch took {}, in a tenth of its samples {} or more", si(result.floor, "s"),
                       si(result.floor_p90, "s"));
  }
  if (const double tail = slow_tenth(flatten(result.measurement.seconds)); tail >= 1 + max_tail)
    return fmt::format("a tenth of its samples took {:.1f} × the median or more", tail);
  return {};
}

std::string times(const Ratio& ratio) { return (ratio.noisy ? noisy_mark : "") + times(ratio.value); }

}  // namespace crosswarp
