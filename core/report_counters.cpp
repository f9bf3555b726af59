// Table of counters: a row for each counter, a column for each rung, to show how rungs differ.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/bound.hpp"
#include "core/report.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t least_name = 16;  // characters of a kernel's
constexpr double least_stall = 0.01;    // of the longest; shorter ones are in the JSON only

/// `cuda/float4`, as the title names the experiment.
std::string column(const Result& result) { return without_experiment(result.cell.rung()); }

/// A kernel's name without template arguments and parameters.
std::string short_name(const std::string& name) {
  std::string text = name.starts_with("void ") ? name.substr(5) : name;
  for (const std::string_view anonymous : {"(anonymous namespace)::", "_GLOBAL__N__"})
    if (const auto at = text.find(anonymous); at != text.npos) text.erase(0, at + anonymous.size());
  return text.substr(0, text.find_first_of("<("));
}

std::string dimensions(const std::array<unsigned, 3>& d) {
  if (d[1] * d[2] == 1) return std::to_string(d[0]);
  return d[2] == 1 ? fmt::format("{}×{}", d[0], d[1]) : fmt::format("{}×{}×{}", d[0], d[1], d[2]);
}

using Counted = std::vector<const Result*>;

/// The counters of some of the results, the longest stalls first.
std::vector<const Counter*> lines(const Counted& counted) {
  const auto most = [&](const Counter* counter) {
    double value = 0;
    for (const Result* r : counted) value = std::max(value, (*r->counters)[counter->name].value_or(0));
    return value;
  };
  std::vector<const Counter*> counters, stalls;
  double longest = 0;
  for (const Count& count : counted.front()->counters->counts) {
    const bool stall = count.counter->group == "stalls";
    (stall ? stalls : counters).push_back(count.counter);
    if (stall) longest = std::max(longest, most(count.counter));
  }
  std::erase_if(stalls, [&](const Counter* c) { return most(c) < least_stall * longest; });
  std::stable_sort(stalls.begin(), stalls.end(), [&](const Counter* a, const Counter* b) { return most(a) > most(b); });
  counters.insert(counters.end(), stalls.begin(), stalls.end());
  return counters;
}

/// A column for each of the rungs.
TextTable counts(const std::vector<const Counter*>& counters, std::span<const Result* const> counted) {
  TextTable table;
  std::vector<std::string> head{"counter"};
  for (const Result* r : counted) head.push_back(column(*r));
  head.emplace_back("unit");
  table.row(std::move(head), TextTable::Colour::faint);
  for (const Counter* counter : counters) {
    std::vector<std::string> line{std::string(counter->name)};
    for (const Result* r : counted) line.push_back(show(*counter, (*r->counters)[counter->name]));
    const bool says_its_unit =
        counter->unit == "%" || counter->unit == "ns" || counter->unit == "B" || counter->unit == "Hz";
    line.emplace_back(says_its_unit ? "" : counter->unit);
    table.row(std::move(line));
  }
  return table;
}

/// Rungs that the terminal is not wide enough for follow in further tables.
std::string counts(const Counted& counted, const Terminal& terminal) {
  const std::vector<const Counter*> counters = lines(counted);
  std::string text;
  for (std::span<const Result* const> left = counted; !left.empty();) {
    std::size_t rungs = left.size();
    while (rungs > 1 && terminal.width > 0 && counts(counters, left.first(rungs)).width() > terminal.width) --rungs;
    text += counts(counters, left.first(rungs)).text(terminal.width, terminal.colours);
    left = left.subspan(rungs);
  }
  return text;
}

TextTable kernels(const Counted& counted) {
  TextTable table;
  table.row({"kernels of", "registers", "shared", "grid", "block", "occupancy", "limited by", "name"},
            TextTable::Colour::faint);
  for (const Result* r : counted)
    for (const KernelRun& kernel : r->counters->kernels)
      table.row({column(*r), std::to_string(kernel.use.registers), fmt::format("{} B", kernel.use.shared_bytes),
                 dimensions(kernel.grid), dimensions(kernel.block),
                 kernel.use.occupancy > 0 ? fmt::format("{:.0f} %", 100 * kernel.use.occupancy) : "-",
                 kernel.limited_by, short_name(kernel.name)});
  enum Column : std::size_t { limited_by = 6, name };
  table.cut(name, least_name);
  table.narrow(limited_by);
  return table;
}

}  // namespace

std::string counters_table(const std::vector<Result>& results, const Terminal& terminal) {
  Counted asked, counted;
  for (const Result& r : results) {
    if (!r.counters) continue;
    asked.push_back(&r);
    if (r.counters->why_not.empty()) counted.push_back(&r);
  }
  if (asked.empty()) return {};
  const Result& first = *asked.front();
  const std::string title = fmt::format("{}  {}  {}  |  counters", first.cell.experiment->name, first.cell.point.name(),
                                        to_string(first.mode, first.launch_by));
  std::string text = wrapped(title, terminal.width, 2) + "\n";
  const auto add = [&](TextTable table) {
    table.last_wraps = true;
    text += table.text(terminal.width, terminal.colours);
  };
  if (!counted.empty()) {
    text += counts(counted, terminal);
    if (const TextTable table = kernels(counted); table.rows() > 1)
      text += table.text(terminal.width, terminal.colours);
  }
  TextTable bounds;
  bounds.row({"rung", "bound"}, TextTable::Colour::faint);
  for (const Result* r : asked)
    if (const auto bound = bound_in_words(*r)) bounds.row({column(*r), bound->words});
  add(bounds);
  TextTable proofs;
  proofs.row({"rung", "proof"}, TextTable::Colour::faint);
  for (const Result* r : asked)
    if (r->status == Status::implausible)
      proofs.row_of_text({column(*r), r->label()}, 1, TextTable::Colour::bad);
    else if (!r->proof.empty())
      proofs.row({column(*r), r->proof});
  if (proofs.rows() > 1) add(proofs);
  return text;
}

}  // namespace crosswarp
