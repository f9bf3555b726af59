// What is for the host alone; apart from the header, which kernels include.
#include "experiments/warp_divergence.hpp"

#include <map>

#include "core/format.hpp"

namespace crosswarp {

std::vector<std::string> WarpDivergence::findings(const std::vector<Outcome>& outcomes) {
  std::map<std::string, std::map<std::int64_t, double>> series;  // by rung and the rest: seconds by factor
  for (const Outcome& o : outcomes)
    series[o.rung + " at n:" + std::to_string(o.point.integer("n")) +
           "/work:" + std::to_string(o.point.integer("work"))][o.point.integer("factor")] = o.seconds;
  std::vector<std::string> lines;
  for (const auto& [of, seconds] : series) {
    const auto one = seconds.find(1);
    if (one == seconds.end() || seconds.size() < 3) continue;
    std::vector<std::pair<double, double>> times;
    for (const auto& [factor, time] : seconds) times.emplace_back(factor, time / one->second);
    const double each = slope(times);
    const bool diverges = each > 0.5;  // else there is no ideal to be beyond
    std::string by_factor;
    for (const auto& [factor, relative] : times) {
      if (factor == 1) continue;
      by_factor += (by_factor.empty() ? "" : ", ") + fixed(factor, 0) + ": " + fixed(relative, 2);
      if (diverges) by_factor += " (" + fixed(100 * (relative / factor - 1), 1, true) + " %)";
    }
    lines.push_back(of + ": each path more takes " + fixed(each, 3) + " of the time of one; times that of one" +
                    (diverges ? " (and beyond the number of paths)" : "") + " by factor: " + by_factor);
  }
  return lines;
}

template ExperimentEntry describe<WarpDivergence>();

}  // namespace crosswarp
