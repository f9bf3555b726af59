// Plain text tables for the actions that time nothing.
#include "bench/listing.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/report.hpp"

namespace crosswarp {
namespace {

void print(const TextTable& table) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::cout << table.text(terminal.width, terminal.colours) << std::flush;
}

/// A cell of every rung that the filter selects, of all tunings where it names none.
std::vector<Cell> rungs(Filter filter) {
  if (filter.tunings.empty()) filter.tunings = {"all"};
  std::vector<Cell> cells = Registry::instance().cells(filter);
  const auto same = [](const Cell& a, const Cell& b) { return a.variant == b.variant && a.tuning == b.tuning; };
  cells.erase(std::unique(cells.begin(), cells.end(), same), cells.end());
  return cells;
}

std::string or_unknown(double value, const std::string& text) { return value > 0 ? text : "unknown"; }

}  // namespace

void print_list(const Filter& filter) {
  TextTable table;
  for (const Cell& cell : rungs(filter)) {
    const VariantEntry& v = *cell.variant;
    table.row({cell.rung(), v.improves.empty() ? (v.library ? "library" : "") : "improves " + v.improves,
               v.not_expressible.empty() ? v.idea : "not expressible: " + v.not_expressible},
              v.not_expressible.empty() ? TextTable::Colour::none : TextTable::Colour::faint);
  }
  print(table);
}

void write_list(const Filter& filter, const std::string& path) {
  auto list = nlohmann::ordered_json::array();
  for (const Cell& cell : rungs(filter)) {
    const VariantEntry& v = *cell.variant;
    list.push_back({{"rung", cell.rung()},
                    {"backend", v.backend},
                    {"experiment", v.experiment},
                    {"variant", v.name},
                    {"tuning", cell.tuning->name()},
                    {"idea", v.idea},
                    {"improves", v.improves},
                    {"library", v.library},
                    {"needs", v.needs},
                    {"not_expressible", v.not_expressible}});
  }
  std::ofstream file(path);
  file << list.dump(1) << '\n';
  file.close();
  if (!file) throw Error(fmt::format("--json {}: cannot be written", path));
}

void print_plan(const Plan& plan, Runner& runner) {
  TextTable table;
  std::size_t cells = 0;
  for (const Group& group : plan.groups)
    for (const Cell& cell : group.cells) {
      const std::string why = runner.skipped(cell);
      table.row({cell.id() + "/" + to_string(group.mode), why.empty() ? "" : "skipped: " + why},
                why.empty() ? TextTable::Colour::none : TextTable::Colour::faint);
      ++cells;
    }
  print(table);
  std::cout << fmt::format("{} cells in {} groups\n", cells, plan.groups.size());
}

int print_verdicts(const Plan& plan, Runner& runner) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::map<Status, std::size_t> counts;
  for (const Group& group : plan.groups)
    for (const Cell& cell : group.cells) {
      const Result result = runner.verify(cell);
      ++counts[result.status];
      TextTable line;
      line.row({cell.id(), result.label()}, result.status == Status::ok        ? TextTable::Colour::none
                                            : result.status == Status::skipped ? TextTable::Colour::faint
                                                                               : TextTable::Colour::bad);
      std::cout << line.text(0, terminal.colours) << std::flush;
    }
  std::cout << fmt::format("{} ok, {} wrong, {} failed, {} skipped\n", counts[Status::ok], counts[Status::wrong],
                           counts[Status::failed], counts[Status::skipped]);
  return counts[Status::wrong] + counts[Status::failed] ? 1 : 0;
}

void print_devices() {
  TextTable table;
  table.row(
      {"backend", "device", "arch", "memory", "cache", "units", "clock", "memory rate", "cache rate", "fp32", "what"},
      TextTable::Colour::faint);
  for (const auto& backend : Registry::instance().backends()) {
    const std::vector<DeviceInfo> devices = backend->devices();
    if (devices.empty()) {
      table.row({backend->name(), "-", "-", "-", "-", "-", "-", "-", "-", "-", "none: " + backend->why_none()});
      continue;
    }
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const DeviceInfo& d = devices[i];
      std::string what = d.name;
      for (const auto& [name, version] : d.versions) what += fmt::format(", {} {}", name, version);
      for (const auto& [name, version] : backend->versions()) what += fmt::format(", {} {}", name, version);
      table.row({backend->name(), std::to_string(i), d.architecture, binary_bytes(static_cast<double>(d.memory)),
                 or_unknown(static_cast<double>(d.cache), binary_bytes(static_cast<double>(d.cache))),
                 std::to_string(d.compute_units), or_unknown(d.clock, si(d.clock, "Hz")),
                 or_unknown(d.memory_bandwidth, si(d.memory_bandwidth, "B/s")),
                 or_unknown(d.cache_bandwidth, si(d.cache_bandwidth, "B/s")),
                 or_unknown(d.flops_f32, si(d.flops_f32, "FLOP/s")), what});
    }
  }
  print(table);
  std::cout << "Rates are theoretical. Backends that see the same device share it.\n";
}

}  // namespace crosswarp
