// Plain text tables for the actions that time nothing.
#include "bench/listing.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <map>

#include "core/format.hpp"
#include "core/report.hpp"

namespace crosswarp {
namespace {

void print(const TextTable& table) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::cout << table.text(terminal.width, terminal.colours) << std::flush;
}

std::string or_unknown(double value, const std::string& text) { return value > 0 ? text : "unknown"; }

}  // namespace

void print_list(const Filter& filter) {
  Filter all = filter;
  if (all.tunings.empty()) all.tunings = {"all"};
  TextTable table;
  std::string last;
  for (const Cell& cell : Registry::instance().cells(all)) {
    const std::string rung = cell.rung();
    if (rung == last) continue;
    last = rung;
    const VariantEntry& v = *cell.variant;
    table.row({rung, v.improves.empty() ? (v.library ? "library" : "") : "improves " + v.improves,
               v.not_expressible.empty() ? v.idea : "not expressible: " + v.not_expressible},
              v.not_expressible.empty() ? TextTable::Colour::none : TextTable::Colour::faint);
  }
  print(table);
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
