// Estimates use assumed rates until a rung has times.
#include "bench/schedule.hpp"

#include <algorithm>

namespace crosswarp {
namespace {

constexpr double usual_seconds = 0.3;     // of a cell whose launches are short: samples, placements, verification
constexpr double shortest_launch = 5e-6;  // seconds
constexpr double assumed_share = 0.2;     // of the theoretical peak
constexpr double most_shares = 2;         // of its share of the time that a group may take rather than be left out

/// Where a device's peak is unknown: of each core or multiprocessor.
double assumed_rate(const Cost& cost, const DeviceInfo& device) {
  using enum crosswarp::Quantity;
  const double of_one = cost.rated == bytes ? 3e9 : cost.rated == flops ? 2e9 : 2e7;
  return of_one * std::max(1, device.compute_units);
}

double work_ratio(const ExperimentEntry& experiment, const Point& small, const Point& large) {
  return experiment.cost(large).amount() / experiment.cost(small).amount();
}

}  // namespace

Schedule::Schedule(const Options& options, const Plan& plan, Executor& executor)
    : options_(options), plan_(plan), executor_(executor) {
  for (const Group& group : plan.groups) expected_.push_back(group_seconds(group));
}

/// Visits the cells that will run, with their devices.
void Schedule::for_each_row(const Group& group, const auto& visit) const {
  for (const Cell& cell : group.cells) {
    const auto& device = executor_.status(*cell.backend, cell.experiment->ranks(cell.point)).device;
    if (!device || plan_.skipped(cell) || !cell.variant->not_expressible.empty()) continue;
    if (std::ranges::all_of(cell.variant->needs, [&](const std::string& need) { return device->has(need); }))
      visit(cell, *device);
  }
}

double Schedule::launch_seconds(const Cell& cell, const DeviceInfo& device) const {
  if (const auto known = known_.find(cell.rung()); known != known_.end()) {
    const auto& [point, seconds] = known->second.back();
    if (const double times = work_ratio(*cell.experiment, point, cell.point); times >= 1) return seconds * times;
  }
  const Cost cost = cell.experiment->cost(cell.point);
  const double peak = assumed_share * device.peak(cost.ceiling);
  return shortest_launch + cost.amount() / (peak > 0 ? peak : assumed_rate(cost, device));
}

double Schedule::group_seconds(const Group& group) const {
  double seconds = 0;
  for_each_row(group, [&](const Cell& cell, const DeviceInfo& device) {
    const auto launches = launches_per_sample(device, cell, group.mode, options_.run.stop.launches);
    seconds += usual_seconds + launches_to_verify * static_cast<double>(launches) * launch_seconds(cell, device);
  });
  return seconds;
}

/// Seconds of one launch a sample in one placement.
double Schedule::shortest(const Group& group) const {
  double seconds = 0;
  for_each_row(group, [&](const Cell& cell, const DeviceInfo& device) {
    seconds += launches_to_verify * launch_seconds(cell, device);
  });
  return seconds;
}

double Schedule::expected_from(std::size_t group) const {
  double seconds = 0;
  for (; group < expected_.size(); ++group) seconds += expected_[group];
  return seconds;
}

std::optional<StopRule> Schedule::rule(std::size_t group, double seconds_left, double later) const {
  StopRule rule = options_.run.stop;
  if (!options_.budget) return rule;
  // An equal share at least: larger groups may turn out to be left out.
  const double groups = static_cast<double>(expected_.size() - group), all = expected_[group] + later;
  rule.point_limit = std::max(0.0, seconds_left) * std::max(1 / groups, all > 0 ? expected_[group] / all : 0);
  const double least = shortest(plan_.groups[group]);
  if (least > most_shares * rule.point_limit) return {};
  const double launches = least > 0 ? rule.point_limit / (2 * least) : 1;
  rule.launches = static_cast<std::size_t>(std::clamp(launches, 1.0, static_cast<double>(rule.launches)));
  return rule;
}

void Schedule::learn(const std::vector<Result>& results) {
  for (const Result& r : results)
    if (const auto seconds = r.time()) known_[r.cell.rung()].emplace_back(r.cell.point, *seconds);
}

}  // namespace crosswarp
