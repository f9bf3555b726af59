// Names are resolved part by part, so that an error says which part is wrong.
#include "bench/cell_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "core/error.hpp"
#include "core/names.hpp"

namespace crosswarp {
namespace {

/// The variant and the tuning of a rung.
std::pair<const VariantEntry*, const Tuning*> find_rung(const std::string& rung) {
  const std::string id = rung.substr(0, rung.find('@'));
  if (const auto found = Registry::instance().variants().find(id); found != Registry::instance().variants().end())
    for (const Tuning& tuning : found->second.tunings)  // the default is the first
      if (rung == id || rung == id + "@" + tuning.name()) return {&found->second, &tuning};
  std::vector<std::string> known;
  for (const Cell& cell : all_rungs()) known.push_back(cell.rung());
  throw Error(did_you_mean(rung, known, Registry::instance().not_in_this_build()));
}

Point point_of(const ExperimentEntry& experiment, std::map<std::string, std::string> named) {
  std::vector<std::vector<Value>> values;
  std::vector<std::string> axes;
  for (const Axis& axis : experiment.axes) {
    axes.push_back(axis.name);
    const auto value = named.extract(axis.name);
    if (value.empty() && !axis.implied) throw Error(fmt::format("{} is missing", axis.name));
    values.push_back({value.empty() ? *axis.implied : parse_value(axis, value.mapped())});
  }
  if (!named.empty())
    throw Error(fmt::format("{}: {}", named.begin()->first, did_you_mean(named.begin()->first, axes)));
  return product(experiment.axes, values).front();
}

NamedCell cell_named(const std::string& name) {
  const CellName parts(name);
  const auto [variant, tuning] = find_rung(parts.rung);
  const ExperimentEntry& experiment = Registry::instance().experiments().at(variant->experiment);
  const Point point = point_of(experiment, parts.axes);
  if (!experiment.exists(point) || !variant->is_for(point))
    throw Error(fmt::format("{} is not for this point", variant->id()));
  const Cell cell{&Registry::instance().backend(variant->backend), &experiment, variant, tuning, point};
  std::vector<std::string> modes;
  for (const LaunchBy launch_by : {LaunchBy::stream, LaunchBy::graph})
    for (const Mode mode : {Mode::cold, Mode::hot, Mode::single}) {
      modes.push_back(to_string(mode, launch_by));
      if (modes.back() == parts.mode) return {cell, mode, launch_by};
    }
  throw Error(parts.mode.empty() ? "the mode is missing; it ends in /cold, /hot or /single"
                                 : fmt::format("{}: {}", parts.mode, did_you_mean(parts.mode, modes)));
}

}  // namespace

CellName::CellName(const std::string& name) {
  std::istringstream parts(name);
  for (std::string part; std::getline(parts, part, '/');)
    if (const auto colon = part.find(':'); colon != part.npos)
      axes[part.substr(0, colon)] = part.substr(colon + 1);
    else if (std::string& word = axes.empty() ? rung : mode; word.empty())
      word = part;
    else
      word += "/" + part;
}

std::vector<Cell> all_rungs() {
  Filter filter;
  filter.tunings = {"all"};
  return Registry::instance().rungs(filter);
}

std::vector<NamedCell> read_cells(const std::string& path) {
  errno = 0;
  std::ifstream file(path);
  file.peek();
  if (!file.is_open() || file.bad())
    throw Error(fmt::format("--cells {}: cannot be read ({})", path, std::strerror(errno)));
  std::vector<NamedCell> cells;
  std::set<std::string> known;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.starts_with('#')) continue;
    try {
      if (known.insert(line).second) cells.push_back(cell_named(line));
    } catch (const Error& error) {
      throw Error(fmt::format("--cells {}:{}: {}: {}", path, number, line, error.what()));
    }
  }
  if (cells.empty()) throw Error(fmt::format("--cells {}: names no cell", path));
  return cells;
}

}  // namespace crosswarp
