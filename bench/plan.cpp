// Default points are chosen to fit the machine; requested ones must fit.
#include "bench/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <regex>
#include <set>

#include "core/error.hpp"
#include "core/format.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t default_share = 32;  // max part of a device's memory for a default point

/// The first backend with a GPU; without a GPU all backends, which share the host.
std::vector<std::string> best_backends(Executor& executor) {
  std::vector<std::string> usable;
  for (const auto& backend : Registry::instance().backends()) {
    const DeviceStatus& status = executor.status(*backend);
    if (!status.device || status.device->emulated) continue;
    if (status.device->key != "host") return {backend->name()};
    usable.push_back(backend->name());
  }
  if (usable.empty()) throw Error("no backend of this build has a device here; see bench devices");
  return usable;
}

bool by_name(const std::string& pattern, const std::string& name) {
  if (pattern.empty() || pattern == "all") return true;
  const bool negated = pattern.front() == '-';
  try {
    return std::regex_search(name, std::regex(pattern.substr(negated), std::regex::extended)) != negated;
  } catch (const std::regex_error& error) {
    throw Error(fmt::format("--benchmark_filter {}: {}", pattern, error.what()));
  }
}

/// Whether the points of `experiment` are its default sweep, which is cut to sizes that fit.
bool is_default_sweep(const ExperimentEntry& experiment, const Filter& filter) {
  if (!joint_points(experiment, filter).empty()) return true;
  return std::any_of(experiment.axes.begin(), experiment.axes.end(),
                     [&](const Axis& axis) { return axis.bench.size() > 1 && !filter.axes.contains(axis.name); });
}

/// Whether all unnamed axes have default values for `device` at `point`.
bool is_by_default(const ExperimentEntry& experiment, const Filter& filter, const Point& point,
                   const DeviceInfo& device) {
  return std::all_of(experiment.axes.begin(), experiment.axes.end(), [&](const Axis& axis) {
    return !axis.by_default || filter.axes.contains(axis.name) || axis.by_default(point, device);
  });
}

}  // namespace

Plan plan(const Options& options, Executor& executor) {
  Filter filter = options.filter;
  for (const std::string& name : filter.backends)
    if (const DeviceStatus& status = executor.status(Registry::instance().backend(name)); !status.device)
      throw Error(fmt::format("--backend {}: {}", name, status.why_not));
    else if (status.device->emulated && options.action == Options::Action::run)
      throw Error(fmt::format("--backend {}: an emulation has no meaningful times; add --verify", name));
  if (filter.backends.empty()) filter.backends = best_backends(executor);

  Plan plan{{}, filter.backends};
  if (std::count(options.launch_by.begin(), options.launch_by.end(), LaunchBy::graph))
    for (const std::string& name : filter.backends)
      if (const DeviceStatus& status = executor.status(Registry::instance().backend(name));
          status.device && !status.device->graphs)
        throw Error(fmt::format(
            "--graph: {} runs on {}, which has no graphs; leave out --graph, or choose a --backend on a GPU", name,
            status.device->name));

  const std::string pattern = options.benchmark_flag("--benchmark_filter");
  std::map<std::pair<std::string, Point>, std::vector<Cell>> points;
  std::map<std::pair<std::string, std::string>, std::set<Point>> unchecked;  // by experiment and device
  for (const Cell& cell : Registry::instance().cells(filter)) {
    const DeviceStatus& status = executor.status(*cell.backend);
    const auto& device = status.device;
    const std::size_t bytes = cell.experiment->footprint(cell.point);
    if (device && is_default_sweep(*cell.experiment, filter) && bytes > device->memory / default_share) continue;
    if (device && is_default_sweep(*cell.experiment, filter) &&
        !takes_too_long_to_check(*cell.experiment, cell.point, *device).empty()) {
      unchecked[{cell.experiment->name, device->name}].insert(cell.point);
      continue;
    }
    if (device && !is_by_default(*cell.experiment, filter, cell.point, *device)) continue;
    if (device && bytes > status.free_memory) {
      Result& result = plan.too_large[cell.id()];
      result.cell = cell;
      result.device = *device;
      result.note = fmt::format("needs {} of memory, {} has {} free", binary_bytes(static_cast<double>(bytes)),
                                device->name, binary_bytes(static_cast<double>(status.free_memory)));
    }
    points[{cell.experiment->name, cell.point}].push_back(cell);
  }
  for (const auto& [where, left_out] : unchecked)
    fmt::print(stderr, "{}: {} larger points left out: {} takes too long to check them in full\n", where.first,
               left_out.size(), where.second);
  // Rows of a table: backends in the order of --backend, each from its first rung up.
  const auto ladder_order = [&](const Cell& a, const Cell& b) {
    const auto rank = [&](const Cell& cell) {
      const auto backend = std::find(filter.backends.begin(), filter.backends.end(), cell.backend->name());
      return std::pair(backend, Registry::instance().rung_height(*cell.variant));
    };
    return rank(a) < rank(b);
  };
  for (auto& [where, cells] : points) std::stable_sort(cells.begin(), cells.end(), ladder_order);
  for (const Mode mode : options.modes)
    for (const LaunchBy launch_by : options.launch_by)
      for (const auto& [where, cells] : points) {
        Group group{{}, mode, launch_by};
        for (const Cell& cell : cells)
          if (by_name(pattern, group.name_of(cell))) group.cells.push_back(cell);
        if (!group.cells.empty()) plan.groups.push_back(std::move(group));
      }
  const auto fits = [&](const Cell& cell) { return !plan.skipped(cell); };
  const auto any_fits = [&](const Group& group) { return std::ranges::any_of(group.cells, fits); };
  if (!plan.too_large.empty() && std::ranges::none_of(plan.groups, any_fits))
    throw Error(fmt::format("nothing fits: {} {}", plan.too_large.begin()->first, plan.too_large.begin()->second.note));
  if (plan.groups.empty()) throw Error("nothing is selected; see bench --list");
  return plan;
}

}  // namespace crosswarp
