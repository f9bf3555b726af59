#include "experiments/latency_levels.hpp"

#include <algorithm>
#include <utility>

#include "core/statistics.hpp"

namespace crosswarp {

std::vector<Level> find_levels(const std::vector<LatencyAt>& curve, double tolerance) {
  constexpr std::size_t fewest = 3;
  constexpr double least_span = 1.25, least_step = 0.1;
  const auto level_of = [&](std::size_t first, std::size_t last) {
    std::vector<double> latencies;
    for (std::size_t i = first; i <= last; ++i) latencies.push_back(curve[i].latency);
    return Level{median(latencies), first, last};
  };
  std::vector<Level> levels;
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, curve.size()}};  // half-open ranges to search
  while (!open.empty()) {
    const auto [begin, end] = open.back();
    open.pop_back();
    std::size_t best = end, best_count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      double low = curve[i].latency, high = low;
      std::size_t j = i;
      for (; j < end; ++j) {
        low = std::min(low, curve[j].latency);
        high = std::max(high, curve[j].latency);
        if (high > low * (1 + tolerance)) break;
      }
      if (j - i > best_count) best = i, best_count = j - i;
    }
    if (best_count < fewest) continue;
    const std::size_t last = best + best_count - 1;
    if (curve[last].bytes >= least_span * curve[best].bytes) levels.push_back(level_of(best, last));
    open.push_back({begin, best});
    open.push_back({last + 1, end});
  }
  std::sort(levels.begin(), levels.end(), [](const Level& a, const Level& b) { return a.first < b.first; });
  const auto remove = [&](std::size_t i) { levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(i)); };
  for (std::size_t i = 0; i + 1 < levels.size();) {
    const Level a = levels[i], b = levels[i + 1];
    const auto [low, high] = std::minmax({a.latency, b.latency});
    if (high <= low * (1 + tolerance) && b.first - a.last <= 2) {
      levels[i] = level_of(a.first, b.last);
      remove(i + 1);
    } else if (high < low * (1 + least_step)) {
      remove(a.last - a.first < b.last - b.first ? i : i + 1);
    } else {
      ++i;
      continue;
    }
    if (i > 0) --i;  // the changed level may now match the one before it
  }
  return levels;
}

TwoModes two_modes(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto trimmed = static_cast<std::ptrdiff_t>(values.size() / 100);
  const std::vector<double> kept(values.begin() + trimmed, values.end() - trimmed);
  const auto n = static_cast<double>(kept.size());
  double sum = 0;
  for (const double value : kept) sum += value;
  double below = 0, widest = 0;
  std::size_t split = 0;  // index of the upper group's first value; 0: all are equal
  for (std::size_t i = 1; i < kept.size(); ++i) {
    below += kept[i - 1];
    const auto count = static_cast<double>(i);
    const double apart = below / count - (sum - below) / (n - count);
    if (const double between = count * (n - count) * apart * apart; between > widest) widest = between, split = i;
  }
  if (split == 0) return {kept.front(), kept.front(), 1};
  const auto middle = kept.begin() + static_cast<std::ptrdiff_t>(split);
  return {median({kept.begin(), middle}), median({middle, kept.end()}), static_cast<double>(split) / n};
}

}  // namespace crosswarp
