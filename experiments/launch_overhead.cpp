// Axes, costs, findings and the check of launch_overhead. Host code only, so kernels do not include it.
#include "experiments/launch_overhead.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/format.hpp"

namespace crosswarp {

std::vector<Axis> LaunchOverhead::axes() {
  return {{.name = "mode",
           .meaning = "how the launches are enqueued",
           .bench = {"stream", "graph", "host_sync"},
           .allowed = {"stream", "graph", "host_sync"},
           .random = RandomRange()},
          {.name = "launches",
           .meaning = "launches that are timed as one",
           .bench = {std::int64_t{40}, std::int64_t{1000}},
           .least = 1,
           .most = 1 << 20,
           .random = RandomRange{.most = 1000}}};
}

bool LaunchOverhead::exists(const Point& point) {
  return point.word("mode") != "graph" || point.integer("launches") > 1;
}

std::vector<Point> LaunchOverhead::headline_points() {
  return {point_with(axes(), {{"launches", std::int64_t{1000}}})};
}

std::vector<TestPoint> LaunchOverhead::test_points() {
  std::vector<TestPoint> points;
  for (const char* mode : {"stream", "graph", "host_sync"})
    for (const std::int64_t launches : {1, 2, 3, 45, 130})
      points.push_back({product(axes(), {{mode}, {launches}}).front(), false});
  std::erase_if(points, [](const TestPoint& test) { return !exists(test.point); });
  return points;
}

Cost LaunchOverhead::cost(const Point& point) {
  return {.bytes_written = sizeof(std::uint64_t),
          .accesses = static_cast<double>(point.integer("launches")),
          .rated = Quantity::accesses,
          .ceiling = ""};
}

std::size_t LaunchOverhead::footprint(const Point&) { return sizeof(std::uint64_t) + 2 * Buffer<std::uint64_t>::guard; }

LaunchOverhead::LaunchOverhead(Device& device, const Point& point, std::uint64_t, std::size_t sets)
    : device_(device), launches_(static_cast<unsigned>(point.integer("launches"))) {
  for (std::size_t set = 0; set < sets; ++set) count_.emplace_back(device, 1);
}

void LaunchOverhead::poison() {
  for (auto& count : count_) count.poison();
}

Verdict LaunchOverhead::check(ResultIn) const {
  device_.synchronize();
  if (!guards_intact(count_)) return {.ok = false, .where = "a guard band beside the counter was written to"};
  for (std::size_t set = 0; set < count_.size(); ++set) {
    const std::uint64_t count = count_[set].read(0);
    if (count == launches_) continue;
    return {.ok = false,
            .error = std::abs(static_cast<double>(count) - static_cast<double>(launches_)),
            .bound = 0,
            .where = "counter " + std::to_string(set) + " is " + std::to_string(count) + ", should be " +
                     std::to_string(launches_)};
  }
  return {.ok = true, .error = 0, .bound = 0, .where = {}};
}

std::vector<Finding> LaunchOverhead::findings(const std::vector<Outcome>& outcomes) {
  std::map<std::pair<std::string, std::string>, std::vector<Outcome>> rungs;
  for (const Outcome& outcome : outcomes) rungs[{outcome.point.word("mode"), outcome.rung}].push_back(outcome);
  std::vector<Finding> all;
  for (auto& [mode_and_rung, points] : rungs) {
    std::sort(points.begin(), points.end(),
              [](const Outcome& a, const Outcome& b) { return a.cost.accesses < b.cost.accesses; });
    const Outcome &few = points.front(), &many = points.back();
    Finding& found = all.emplace_back(Finding{"launch_cost",
                                              "{mode}, {rung}: {time} per launch ({launches} at a time)",
                                              {{"mode", mode_and_rung.first},
                                               {"rung", mode_and_rung.second},
                                               {"time", many.seconds / many.cost.accesses, "s"},
                                               {"launches", many.cost.accesses}}});
    if (many.cost.accesses <= few.cost.accesses) continue;
    const double marginal = (many.seconds - few.seconds) / (many.cost.accesses - few.cost.accesses);
    const double constant = few.seconds - marginal * few.cost.accesses;
    found.text += "; marginal {marginal}";
    found.values.emplace_back("marginal", marginal, "s");
    if (constant <= 0) continue;
    found.text += ", fixed {fixed}";
    found.values.emplace_back("fixed", constant, "s");
  }
  return all;
}

template ExperimentEntry describe<LaunchOverhead>();

}  // namespace crosswarp
