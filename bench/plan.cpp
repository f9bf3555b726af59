// Default points are chosen to fit the machine; requested ones must fit.
#include "bench/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "bench/cell_name.hpp"
#include "core/error.hpp"
#include "core/format.hpp"

namespace crosswarp {
namespace {

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
  if (filter.random) return false;  // drawn to fit
  if (!joint_points(experiment, filter).empty()) return true;
  return std::any_of(experiment.axes.begin(), experiment.axes.end(),
                     [&](const Axis& axis) { return axis.bench.size() > 1 && !filter.axes.contains(axis.name); });
}

/// Whether the user has chosen values of an axis of `experiment`: what is left out of those is said.
bool names_an_axis(const ExperimentEntry& experiment, const Filter& filter) {
  return std::ranges::any_of(experiment.axes, [&](const Axis& axis) { return filter.axes.contains(axis.name); });
}

/// Points by experiment.
using Points = std::map<std::pair<std::string, Point>, std::vector<Cell>>;

/// Experiments with fewer random points than asked for.
void say_what_is_missing(std::size_t count, const Points& points) {
  std::map<std::string, std::size_t> drawn;
  for (const auto& [where, cells] : points) ++drawn[where.first];
  for (const auto& [experiment, of] : drawn)
    if (of < count)
      fmt::print(stderr, "{}: {} random points instead of {}: no more of them differ and fit\n", experiment, of, count);
}

/// Whether all unnamed axes have default values for `device` at `point`.
bool is_by_default(const ExperimentEntry& experiment, const Filter& filter, const Point& point,
                   const DeviceInfo& device) {
  return std::all_of(experiment.axes.begin(), experiment.axes.end(), [&](const Axis& axis) {
    return !axis.by_default || filter.random || filter.axes.contains(axis.name) || axis.by_default(point, device);
  });
}

/// Why the cell's point does not fit its device. Empty if it does, if there is no device, and where the point does not
/// matter: the variant is not expressible.
std::string why_unfit(const Cell& cell, const DeviceStatus& status) {
  if (!status.device || !cell.variant->not_expressible.empty()) return "";
  const std::size_t bytes = cell.experiment->footprint(cell.point);
  if (bytes <= status.free_memory) return takes_too_long_to_check(*cell.experiment, cell.point, *status.device);
  return fmt::format("needs {} of memory, {} has {} free", binary_bytes(static_cast<double>(bytes)),
                     status.device->name, binary_bytes(static_cast<double>(status.free_memory)));
}

/// Why no backend can run: that those with devices lack the one that --device or --devices names, or that none has any.
std::string why_none(Executor& executor) {
  std::string why;
  for (const auto& backend : Registry::instance().backends()) {
    const std::string& of = executor.status(*backend).why_not;
    if (of.starts_with("--device")) why += why.empty() ? of : ", " + of.substr(of.find(": ") + 2);
  }
  return why.empty() ? "no backend of this build has a device here; see bench devices" : why;
}

template <class T>
void add_new(std::vector<T>& all, const T& one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

/// Each cell once, however often it is timed.
std::vector<Cell> distinct_cells(const std::vector<NamedCell>& named) {
  std::map<std::string, Cell> cells;
  for (const NamedCell& of : named) cells.try_emplace(of.cell.id(), of.cell);
  std::vector<Cell> distinct;
  for (auto& [id, cell] : cells) distinct.push_back(std::move(cell));
  return distinct;
}

}  // namespace

std::vector<std::string> chosen_backends(const Options& options, const std::vector<std::string>& asked,
                                         Executor& executor) {
  const auto status = [&](const std::string& name) { return executor.status(Registry::instance().backend(name)); };
  for (const std::string& name : asked)
    if (const DeviceStatus of = status(name); !of.device)
      throw Error(fmt::format("--backend {}: {}", name, of.why_not));
    else if (of.device->emulated && options.action == Options::Action::run)
      throw Error(fmt::format("--backend {}: an emulation has no meaningful times; add --verify", name));
  if (!asked.empty()) return asked;
  std::vector<std::string> usable;
  std::map<std::string, std::string> keys;  // devices by backend
  for (const auto& backend : Registry::instance().backends())
    if (const DeviceStatus& of = executor.status(*backend); of.device && !of.device->emulated) {
      usable.push_back(backend->name());
      keys[backend->name()] = of.device->key;
    }
  if (usable.empty()) throw Error(why_none(executor));
  const auto gpu = std::ranges::find_if(usable, [&](const auto& name) { return keys[name] != "host"; });
  if (gpu == usable.end()) return usable;
  if (!options.tour) return {*gpu};
  std::vector<std::string> on_gpu;
  std::ranges::copy_if(usable, std::back_inserter(on_gpu), [&](const auto& name) { return keys[name] == keys[*gpu]; });
  return on_gpu;
}

void sort_by_rung(std::vector<Cell>& cells, const std::vector<std::string>& backends) {
  std::ranges::stable_sort(cells, {}, [&](const Cell& cell) {
    return std::pair(std::ranges::find(backends, cell.backend->name()),
                     Registry::instance().rung_height(*cell.variant));
  });
}

Plan plan(const Options& options, Executor& executor) {
  Filter filter = options.filter;
  const std::vector<NamedCell> named = options.cells.empty() ? std::vector<NamedCell>{} : read_cells(options.cells);
  std::vector<Mode> modes = options.modes;
  std::vector<LaunchBy> launch_by = options.launch_by;
  std::set<std::string> names;  // of the named cells
  if (!named.empty()) modes.clear(), launch_by.clear();
  for (const NamedCell& of : named) {
    names.insert(Group{{}, of.mode, of.launch_by}.name_of(of.cell));
    add_new(filter.backends, of.cell.backend->name());
    add_new(modes, of.mode);
    add_new(launch_by, of.launch_by);
  }
  filter.backends = chosen_backends(options, filter.backends, executor);
  Plan plan{{}, filter.backends};
  if (std::ranges::count(launch_by, LaunchBy::graph))
    for (const std::string& name : filter.backends)
      if (const DeviceStatus& status = executor.status(Registry::instance().backend(name));
          status.device && !status.device->graphs)
        throw Error(
            fmt::format("{0}: {1} runs on {2}, which has no graphs; leave out {0}, or choose a --backend on a GPU",
                        named.empty() ? "--graph" : "/graph", name, status.device->name));

  if (options.tour) return plan;
  if (filter.random)
    filter.random->fits = [&](const ExperimentEntry& experiment, const Point& point) {
      return std::ranges::all_of(filter.backends, [&](const std::string& name) {
        const auto& device = executor.status(Registry::instance().backend(name)).device;
        return !device || (is_default_size(experiment, point, *device) &&
                           (!device->emulated || experiment.footprint(point) <= most_emulated_bytes));
      });
    };

  const std::string pattern = options.benchmark_flag("--benchmark_filter");
  std::size_t most_ranks_asked = 0;
  Points points;
  std::map<std::pair<std::string, std::string>, std::set<Point>> unchecked, oversized;  // by experiment and device
  std::set<std::string> why_left_out;
  for (const Cell& cell : named.empty() ? Registry::instance().cells(filter) : distinct_cells(named)) {
    most_ranks_asked = std::max(most_ranks_asked, cell.experiment->ranks(cell.point));
    const DeviceStatus& status = executor.status(*cell.backend);
    const auto& device = status.device;
    const std::size_t bytes = cell.experiment->footprint(cell.point);
    const bool is_cut = device && named.empty() && is_default_sweep(*cell.experiment, filter);
    if (is_cut && bytes > device->memory / default_share) {
      why_left_out.insert(fmt::format("takes more than 1/{} of the memory of {} (to run one, give every axis)",
                                      default_share, device->name));
      if (names_an_axis(*cell.experiment, filter)) oversized[{cell.experiment->name, device->name}].insert(cell.point);
      continue;
    }
    if (is_cut && !takes_too_long_to_check(*cell.experiment, cell.point, *device).empty()) {
      why_left_out.insert(fmt::format("takes too long to check in full on {} (give smaller values)", device->name));
      unchecked[{cell.experiment->name, device->name}].insert(cell.point);
      continue;
    }
    if (device && named.empty() && !is_by_default(*cell.experiment, filter, cell.point, *device)) {
      why_left_out.insert(
          fmt::format("has values that are no default on {} (to run one, give their values)", device->name));
      continue;
    }
    if (std::string why = why_unfit(cell, status); !why.empty()) {
      Result& result = plan.unfit[cell.id()];
      result.cell = cell;
      result.device = *device;
      result.note = std::move(why);
    }
    points[{cell.experiment->name, cell.point}].push_back(cell);
  }
  if (const std::size_t named = options.run.devices.size(); named > 0 && most_ranks_asked > 0) {
    if (most_ranks_asked == 1) throw Error("--devices: nothing selected spans ranks; --device chooses one device");
    if (most_ranks_asked > named && !options.run.processes)
      throw Error(fmt::format("--ranks {}: --devices names {} devices", most_ranks_asked, named));
  }
  if (points.empty()) throw Error(fmt::format("nothing is selected: each point {}", fmt::join(why_left_out, ", or ")));
  if (filter.random) say_what_is_missing(filter.random->count, points);
  for (const auto& [where, left_out] : unchecked)
    fmt::print(stderr, "{}: {} larger points left out: {} takes too long to check them in full\n", where.first,
               left_out.size(), where.second);
  for (const auto& [where, left_out] : oversized)
    fmt::print(stderr,
               "{}: points left out: {}; each takes more than 1/{} of the memory of {}; to run them, give every axis\n",
               where.first, left_out.size(), default_share, where.second);
  for (auto& [where, cells] : points) sort_by_rung(cells, filter.backends);
  const auto is_named = [&](const std::string& name) { return named.empty() || names.contains(name); };
  for (const Mode mode : modes)
    for (const LaunchBy by : launch_by)
      for (const auto& [where, cells] : points) {
        Group group{{}, mode, by};
        for (const Cell& cell : cells)
          if (const std::string name = group.name_of(cell); is_named(name) && by_name(pattern, name))
            group.cells.push_back(cell);
        if (!group.cells.empty()) plan.groups.push_back(std::move(group));
      }
  if (plan.groups.empty())
    throw Error(fmt::format("nothing is selected: --benchmark_filter {} matches no cell's name", pattern));
  const auto fits = [&](const Cell& cell) { return !plan.skipped(cell) && cell.variant->not_expressible.empty(); };
  const auto any_fits = [&](const Group& group) { return std::ranges::any_of(group.cells, fits); };
  if (!plan.unfit.empty() && std::ranges::none_of(plan.groups, any_fits))
    throw Error(fmt::format("nothing fits: {} {}", plan.unfit.begin()->first, plan.unfit.begin()->second.note));
  return plan;
}

}  // namespace crosswarp
