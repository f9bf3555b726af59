// Text tables of actions without timing.
#include "bench/listing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/cell_name.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/format.hpp"
#include "core/names.hpp"
#include "core/report.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t least_rung = 32, least_idea = 24;  // characters

void print(const TextTable& table) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::cout << table.text(terminal.width, terminal.colours) << std::flush;
}
void print(const std::string& text) { std::cout << wrapped(text, Terminal::of(STDOUT_FILENO).width) << std::flush; }

/// A cell's line in a list: its name and, where it has no result or a bad one, why.
void list(TextTable& table, const std::string& name, const Result& result) {
  if (result.status == Status::ok)
    table.row({name, result.label()});
  else
    table.row_of_text({name, result.label()}, 1,
                      result.status == Status::skipped ? TextTable::Colour::faint : TextTable::Colour::bad);
}

/// One cell per rung that the filter selects; all tunings if it names none.
std::vector<Cell> rungs(Filter filter) {
  if (filter.tunings.empty()) filter.tunings = {"all"};
  return Registry::instance().rungs(filter);
}

std::string or_unknown(double value, const std::string& text) { return value > 0 ? text : "unknown"; }

}  // namespace

void print_list(const Filter& filter) {
  TextTable table;
  const VariantEntry* above = nullptr;
  for (const Cell& cell : rungs(filter)) {
    const VariantEntry& v = *cell.variant;
    const std::string origin = v.module.empty() ? "" : "from " + v.module + ": ";
    if (&v == above)  // another tuning of it
      table.row({cell.rung(), "", ""});
    else
      table.row({cell.rung(), v.improves.empty() ? (v.library ? "library" : "") : "improves " + v.improves,
                 origin + (v.not_expressible.empty() ? summary(v) : "not expressible: " + v.not_expressible)},
                v.not_expressible.empty() ? TextTable::Colour::none : TextTable::Colour::faint);
    above = &v;
  }
  table.narrow(1);
  table.cut(0, least_rung);
  table.cut(2, least_idea);
  print(table);
}

void write_list(const Filter& filter, const std::string& path) {
  auto list = nlohmann::ordered_json::array();
  for (const Cell& cell : rungs(filter)) {
    const VariantEntry& v = *cell.variant;
    auto gaps = nlohmann::ordered_json::array();
    for (const Gap& gap : v.gaps) gaps.push_back(to_json(gap));
    if (!v.not_expressible.empty()) gaps = {to_json(v.gap(cell.point))};
    list.push_back({{"rung", cell.rung()},
                    {"backend", v.backend},
                    {"experiment", v.experiment},
                    {"variant", v.name},
                    {"tuning", cell.tuning->name()},
                    {"module", v.module},
                    {"idea", v.idea},
                    {"bound_by", v.bound_by},
                    {"improves", v.improves},
                    {"counterparts", v.counterparts},
                    {"gaps", gaps},
                    {"library", v.library},
                    {"escape_hatch", v.escape_hatch},
                    {"needs", v.needs},
                    {"instructions", v.instructions},
                    {"not_expressible", v.not_expressible}});
  }
  OutputFile("--json", path).write(list.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void print_plan(const Plan& plan, Runner& runner) {
  TextTable table;
  std::size_t cells = 0;
  for (const Group& group : plan.groups)
    for (const Cell& cell : group.cells) {
      const Result* skipped = plan.skipped(cell);
      const std::string why = skipped ? skipped->note : runner.skipped(cell);
      if (why.empty())
        table.row({group.name_of(cell)});
      else
        table.row_of_text({group.name_of(cell), "skipped: " + why}, 1, TextTable::Colour::faint);
      ++cells;
    }
  print(table);
  std::cout << fmt::format("{} cells in {} groups\n", cells, plan.groups.size());
}

int print_verdicts(const Plan& plan, Executor& executor, bool accuracy) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::map<Status, std::size_t> counts;
  for (const Group& group : plan.groups) {
    std::vector<Result> results;
    for (const Cell& cell : group.cells) {
      const Result* skipped = plan.skipped(cell);
      const Result& result = results.emplace_back(skipped ? *skipped : executor.verify(cell));
      ++counts[result.status];
      TextTable line;
      list(line, cell.id(), result);
      print(line);
    }
    if (!accuracy) continue;
    add_accuracy(executor, results);
    std::cout << accuracy_table(results, terminal) << std::flush;
  }
  std::cout << fmt::format("{} ok, {} wrong, {} failed, {} skipped\n", counts[Status::ok], counts[Status::wrong],
                           counts[Status::failed], counts[Status::skipped]);
  return counts[Status::wrong] + counts[Status::failed] ? 1 : 0;
}

void print_counters() {
  TextTable table;
  table.row({"counter", "group", "unit", "meaning"}, TextTable::Colour::faint);
  for (const Counter& c : all_counters())
    table.row({std::string(c.name), std::string(c.group), std::string(c.unit),
               fmt::format("{}{}", c.meaning, c.metric.empty() ? "" : fmt::format(" ({})", c.metric))});
  table.last_wraps = true;
  print(table);
  print(fmt::format(
      "bench --counters reads all of them, --counters=memory,stalls some groups ({}).\n"
      "In parentheses: NVIDIA's metric; docs/counters.md has AMD's. Stalls: cycles between two instructions of "
      "a warp.\n"
      "Several kernels in a launch: sums are added, other values weighted by kernel time.\n",
      fmt::join(counter_groups(), ", ")));
}

int profile_cell(const Options& options) {
  constexpr std::size_t launches = 5;
  const CellName id(options.profile);
  const auto refuse = [&](const std::string& why) -> Error {
    return Error(fmt::format("--profile {}: {}", options.profile, why));
  };
  std::vector<std::string> known;
  Filter filter = options.filter;
  for (const Cell& cell : all_rungs()) {
    known.push_back(cell.rung());
    if (known.back() != id.rung) continue;
    filter.backends = {cell.variant->backend};
    filter.experiments = {cell.variant->experiment};
    filter.variants = {cell.variant->name};
    if (cell.tuning != &cell.variant->tunings.front()) filter.tunings = {cell.tuning->name()};
  }
  if (std::find(known.begin(), known.end(), id.rung) == known.end())
    throw refuse(Registry::instance().not_in_this_build() + ": " + did_you_mean(id.rung, known));
  for (const auto& [axis, value] : id.axes) filter.axes[axis] = value;
  Mode mode = options.modes.front();
  if (!id.mode.empty()) {
    const std::vector<Mode> modes{Mode::cold, Mode::hot, Mode::single};
    const auto found = std::find_if(modes.begin(), modes.end(), [&](Mode m) { return to_string(m) == id.mode; });
    if (found == modes.end()) throw refuse(did_you_mean(id.mode, {"cold", "hot", "single"}));
    mode = *found;
  }
  const std::vector<Cell> cells = Registry::instance().cells(filter);
  if (cells.size() != 1)
    throw refuse(fmt::format("selects {} cells; name one, as {}", cells.size(), cells.front().id()));
  Runner runner(options.run);
  const Result result = runner.profile(cells.front(), mode, launches);
  std::cout << fmt::format("{}: {} launches, {}\n", result.name(), launches, result.label());
  return result.status == Status::ok ? 0 : 1;
}

std::vector<std::string> profile_command(const Options& options, const Cell& cell, Mode mode) {
  if (options.run.processes) return {};
  std::vector<std::string> command{
      std::filesystem::read_symlink("/proc/self/exe").string(),
      "--profile=" + cell.id(),
      "--" + to_string(mode),
      fmt::format("--device={}", options.run.device),
      fmt::format("--seed={}", options.run.seed),
  };
  // By its name even if it is the default: else the table of tunings would choose.
  if (cell.variant->tunings.size() > 1) command.push_back("--tuning=" + cell.tuning->name());
  for (const std::string& module : options.modules) command.push_back("--load=" + module);
  return command;
}

void print_devices() {
  std::string absent;
  TextTable table;
  std::map<std::string, DeviceInfo> incomplete;
  table.row(
      {"backend", "device", "arch", "memory", "cache", "units", "clock", "memory rate", "cache rate", "fp32", "what"},
      TextTable::Colour::faint);
  for (const auto& backend : Registry::instance().backends()) {
    const std::vector<DeviceInfo> devices = backend->devices();
    if (devices.empty()) {
      absent += fmt::format("{}  has no device here: {}\n", backend->name(), backend->why_none());
      continue;
    }
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const DeviceInfo& d = devices[i];
      if (!d.not_compiled.empty()) incomplete[d.key] = d;
      std::string what = d.name;
      for (const auto& [name, version] : d.versions) what += fmt::format(", {} {}", name, version);
      for (const auto& [name, version] : backend->versions()) what += fmt::format(", {} {}", name, version);
      table.row({backend->name(), std::to_string(i), d.architecture, binary_bytes(static_cast<double>(d.memory)),
                 or_unknown(static_cast<double>(d.cache), binary_bytes(static_cast<double>(d.cache))),
                 std::to_string(d.compute_units), or_unknown(d.clock, si(d.clock, "Hz")),
                 or_unknown(d.peak("memory"), si(d.peak("memory"), "B/s")),
                 or_unknown(d.peak("l2"), si(d.peak("l2"), "B/s")),
                 or_unknown(d.peak("f32"), si(d.peak("f32"), "FLOP/s")), what});
    }
  }
  enum Column : std::size_t { name, index, architecture, memory, cache, units, clock, memory_rate, cache_rate, fp32 };
  for (const Column column : {cache_rate, units, clock, cache, fp32}) table.narrow(column);
  table.last_wraps = true;
  print(table);
  print(absent + "Rates are theoretical. Backends that see the same device share it.\n");
  for (const auto& [key, d] : incomplete)
    print(fmt::format("{} ({}): this build's code for it lacks {}; {}\n", key, d.name, fmt::join(d.not_compiled, ", "),
                      d.how_to_compile));
}

}  // namespace crosswarp
