// The loop over rounds and rows.
#include "core/sampler.hpp"

#include <exception>

#include "core/statistics.hpp"

namespace crosswarp {
namespace {

/// The reason to stop; empty for none.
std::string enough(const std::vector<double>& samples, double device_time, const StopRule& rule) {
  if (samples.size() >= rule.max_samples) return "max_samples";
  if (samples.size() >= rule.min_samples) {
    const Interval known = median_interval(samples);
    if (samples.size() >= least_for_median_interval && (known.high - known.low) / 2 <= rule.precision * median(samples))
      return "precision";
    if (device_time >= rule.min_time) return "min_time";
  }
  return {};
}

}  // namespace

StopRule share(StopRule rule) {
  const auto of = [&](std::size_t samples) { return (samples + rule.placements - 1) / rule.placements; };
  rule.min_time /= static_cast<double>(rule.placements);
  rule.time_limit /= static_cast<double>(rule.placements);
  rule.min_samples = of(rule.min_samples);
  rule.max_samples = of(rule.max_samples);
  rule.placements = 1;
  return rule;
}

std::vector<Samples> sample_round_robin(const std::vector<std::function<double()>>& rows, const StopRule& rule,
                                        const std::function<double()>& now,
                                        const std::vector<std::function<double()>>& companions,
                                        const std::function<void()>& before_round) {
  std::vector<std::function<double()>> turns = rows;
  turns.insert(turns.end(), companions.begin(), companions.end());
  const std::size_t count = turns.size();
  std::vector<Samples> all(count);
  std::vector<double> device(count, 0.0);
  std::vector<bool> left(count, false);
  const auto is_done = [&](std::size_t i) { return left[i] || !all[i].stopped.empty(); };
  for (std::size_t round = 0;; ++round) {
    if (before_round) before_round();
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t i = (round + turn) % count;
      if (left[i]) continue;
      Samples& mine = all[i];
      const double start = now();
      try {
        mine.seconds.push_back(turns[i]());
      } catch (const std::exception& error) {
        mine.stopped = "error";
        mine.error = error.what();
        left[i] = true;
        continue;
      }
      mine.wall += now() - start;
      device[i] += mine.seconds.back();
      if (mine.stopped.empty()) mine.stopped = enough(mine.seconds, device[i], rule);
      if (mine.wall >= rule.time_limit) {
        if (mine.stopped.empty()) mine.stopped = "time_limit";
        left[i] = true;
      }
      if (i < rows.size() && !mine.stopped.empty() && device[i] >= rule.min_time) left[i] = true;
    }
    bool all_done = true;
    for (std::size_t i = 0; i < rows.size(); ++i) all_done = all_done && is_done(i);
    if (all_done) return all;
  }
}

}  // namespace crosswarp
