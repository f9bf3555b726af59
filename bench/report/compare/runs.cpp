// Compares two runs cell by cell. core/change.hpp decides what counts as a change.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "bench/report/compare/compare.hpp"
#include "bench/report/compare/ratios.hpp"
#include "bench/report/result_file.hpp"
#include "core/change.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/noise.hpp"
#include "core/random_findings.hpp"

namespace crosswarp {
namespace {

/// The cells of a run, in its order and by name.
class Cells {
 public:
  explicit Cells(const ResultFile& file) : results_(merge_repetitions(file.results)) {
    for (std::size_t i = 0; i < results_.size(); ++i) by_name_[results_[i].name()] = i;
  }
  const std::vector<Result>& all() const { return results_; }
  /// Null where there is none of that name.
  const Result* find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &results_[found->second];
  }

 private:
  std::vector<Result> results_;
  std::map<std::string, std::size_t> by_name_;
};

/// A host's times differ from process to process by what no placement shows (which core, which memory). On a GPU that
/// is in the rows that wait for their result: up to what an empty launch takes, and so less of a longer time.
double least_change(const CompareOptions& comparison, const ResultFile& file, const Result& r) {
  if (r.device.name == file.said("device.host.name"))
    return std::max(comparison.threshold, comparison.coarse_threshold);
  if (r.note == result_on_host) return std::max(comparison.threshold, r.floor / *r.time());
  return comparison.threshold;
}

/// What the contexts disagree in, but for what is never twice the same.
std::string different_contexts(const ResultFile& before, const ResultFile& after) {
  std::set<std::string> keys;
  for (const ResultFile* file : {&before, &after})
    for (const auto& [key, value] : file->context) keys.insert(key);
  std::string text;
  for (const std::string& key : keys) {
    const bool varies = key == "date" || key == "commit" || key == "executable" ||
                        key.ends_with("measured_bytes_per_second") || key.find(".used_by_others_") != key.npos;
    if (varies || before.said(key) == after.said(key)) continue;
    text += fmt::format("{}{} ({} → {})", text.empty() ? "" : ", ", key, before.said(key), after.said(key));
  }
  return text;
}

/// Cells for which the table of tunings had another tuning, or none; empty for none of them.
std::string tuned_otherwise(const Cells& old_cells, const Cells& new_cells) {
  const auto said = [](const Result& r) { return r.tuned_by_table.empty() ? "none" : r.tuned_by_table; };
  std::size_t count = 0;
  std::string first;
  for (const Result& before : old_cells.all())
    if (const Result* after = new_cells.find(before.name()); after && said(before) != said(*after) && ++count == 1)
      first = fmt::format("{}: {}, then {}", before.name(), said(before), said(*after));
  return count == 0 ? "" : fmt::format("{} {}; the first: {}", count, count == 1 ? "cell" : "cells", first);
}

TextTable runs(const ResultFile& before, const ResultFile& after) {
  TextTable table;
  table.row({"run", "commit", "date", "file"}, TextTable::Colour::faint);
  table.row({"old", before.said("commit"), before.said("date").substr(0, 10), before.path});
  table.row({"new", after.said("commit"), after.said("date").substr(0, 10), after.path});
  return table;
}

/// A cell that has times in both runs.
struct Compared {
  const Result *before, *after;
  Change change;
};

std::vector<Compared> compare_times(const CompareOptions& comparison, const ResultFile& before, const Cells& old_cells,
                                    const Cells& new_cells) {
  std::vector<Compared> compared;
  std::vector<TwoRuns> samples;
  for (const Result& r : old_cells.all())
    if (const Result* now = new_cells.find(r.name()); now && r.time() && now->time() && why_no_ratio(r, *now).empty()) {
      compared.push_back({&r, now, {}});
      samples.push_back({r.measurement.seconds, now->measurement.seconds, least_change(comparison, before, r),
                         !noise(r).empty() || !noise(*now).empty()});
    }
  std::vector<Change> found = changes(samples, comparison.coarse_threshold);
  for (std::size_t i = 0; i < compared.size(); ++i) compared[i].change = found[i];
  return compared;
}

/// `NVIDIA H100 → NVIDIA H200`, for cells that were timed on another device; empty for none of them.
std::string other_devices(const std::vector<Compared>& compared) {
  std::set<std::string> pairs;
  for (const Compared& cell : compared)
    if (const std::string& old_name = cell.before->device.name, &new_name = cell.after->device.name;
        old_name != new_name)
      pairs.insert(fmt::format("{} → {}", old_name, new_name));
  return fmt::format("{}", fmt::join(pairs, ", "));
}

TextTable times_table(const std::vector<Compared>& compared, bool all) {
  TextTable table;
  table.row({"verdict", "× as fast [95 %]", "old", "new", "placements", "P(slower)", "p", "counts from", "cell"},
            TextTable::Colour::faint);
  for (const auto& [before, after, change] : compared) {
    if (change.kind == ChangeKind::within_noise && !all) continue;
    static constexpr TextTable::Colour colours[] = {TextTable::Colour::none, TextTable::Colour::good,
                                                    TextTable::Colour::bad, TextTable::Colour::faint,
                                                    TextTable::Colour::faint};
    table.row({to_string(change.kind), precise(speedup(change.ratio)), si(before->time(), "s"), si(after->time(), "s"),
               fmt::format("{}, {}", before->measurement.seconds.size(), after->measurement.seconds.size()),
               change.test ? fmt::format("{:.2f}", change.test->superiority) : "-",
               change.test ? fmt::format("{:.1g}", change.test->p) : "-", percent(change.least_change), before->name()},
              colours[static_cast<std::size_t>(change.kind)]);
  }
  enum Column : std::size_t { verdict, ratio, old_time, new_time, placements, superiority, p, counts_from };
  for (const Column column : {counts_from, placements, p, superiority}) table.narrow(column);
  table.narrow(ratio, without_details);
  for (const Column column : {old_time, new_time}) table.narrow(column);
  table.narrow(verdict, [](const std::string& cell) {
    return cell == to_string(ChangeKind::within_noise) ? "noise"
           : cell == to_string(ChangeKind::no_verdict) ? "none"
                                                       : cell;
  });
  table.narrow(ratio, [](const std::string& cell) { return cell.substr(0, cell.find(" as fast")); });
  return table;
}

/// Cells whose energy both runs have.
TextTable energy_table(const std::vector<Compared>& compared) {
  TextTable table;
  table.row({"× the energy", "old", "new", "FLOP/J: old", "new", "B/J: old", "new", "power: old", "new", "cell"},
            TextTable::Colour::faint);
  for (const Compared& cell : compared) {
    const Json before = field("joules").get(*cell.before), after = field("joules").get(*cell.after);
    if (!before.is_number() || !after.is_number()) continue;
    std::vector<std::string> row{fmt::format("{:.3f}", after.get<double>() / before.get<double>())};
    for (const char* name : {"joules", "flops_per_joule", "bytes_per_joule", "watts"})
      for (const Result* r : {cell.before, cell.after})
        row.push_back(field(name).show(*r) +
                      (name == std::string_view("watts") && is_by_power_or_heat(r->energy->throttle)
                           ? fmt::format(" ({})", r->energy->throttle)
                           : ""));
    row.push_back(cell.before->name());
    table.row(std::move(row));
  }
  for (const std::size_t column : {8, 7, 6, 5, 4, 3}) table.narrow(column);
  return table;
}

constexpr const char* broken = "broken";
constexpr const char* never_ok = "not ok in both";

/// A cell without a time in one of the runs.
struct Untimed {
  std::string what;
  const Result *before, *after;  ///< Null where it is not in that run.
};

/// A skip is no fault: it says what the device or the build lacks.
bool is_fault(const Result* r) { return r && r->status != Status::ok && r->status != Status::skipped; }

std::vector<Untimed> untimed_cells(const Cells& old_cells, const Cells& new_cells) {
  std::vector<Untimed> untimed;
  const auto add = [&](const Result* before, const Result* after) {
    if (before && after && before->time() && after->time()) {
      if (!why_no_ratio(*before, *after).empty()) untimed.push_back({"with other numbers of threads", before, after});
      return;
    }
    const char* what = is_fault(after) && !is_fault(before) ? broken
                       : !after                             ? "only in the old run"
                       : !before                            ? "only in the new run"
                       : after->time()                      ? "newly ok"
                       : before->time()                     ? "newly skipped"
                                                            : never_ok;
    untimed.push_back({what, before, after});
  };
  for (const Result& r : old_cells.all()) add(&r, new_cells.find(r.name()));
  for (const Result& r : new_cells.all())
    if (!old_cells.find(r.name())) add(nullptr, &r);
  return untimed;
}

TextTable untimed_table(const std::vector<Untimed>& untimed, bool all) {
  TextTable table;
  table.row({"status", "old", "new", "cell"}, TextTable::Colour::faint);
  for (const auto& [what, before, after] : untimed)
    if (all || what != never_ok)
      table.row(
          {what, before ? before->label() : "-", after ? after->label() : "-", before ? before->name() : after->name()},
          what == broken ? TextTable::Colour::bad : TextTable::Colour::none);
  const auto status_alone = [](const std::string& label) { return label.substr(0, label.find(':')); };
  for (const std::size_t run : {1, 2}) table.narrow(run, status_alone);
  return table;
}

/// `all`: all cells are printed.
std::string summary(const std::vector<Compared>& compared, const std::vector<Untimed>& untimed, bool all) {
  std::map<ChangeKind, std::size_t> found;
  for (const Compared& cell : compared) ++found[cell.change.kind];
  std::string text =
      fmt::format("{} cells with times in both: {} slower, {} faster, {} within noise, {} without a verdict",
                  compared.size(), found[ChangeKind::slower], found[ChangeKind::faster],
                  found[ChangeKind::within_noise], found[ChangeKind::no_verdict]);
  if (found[ChangeKind::noisy] > 0)
    text +=
        fmt::format("; {} differ, but were disturbed by other processes: measure them again", found[ChangeKind::noisy]);
  std::map<std::string, std::size_t> others;
  for (const Untimed& cell : untimed) ++others[cell.what];
  for (const auto& [what, count] : others) text += fmt::format("; {} {}", count, what);
  if (const std::size_t hidden = found[ChangeKind::within_noise] + others[never_ok]; hidden > 0 && !all)
    text += fmt::format(". --all prints the {} within noise or not ok, too", hidden);
  return text;
}

}  // namespace

bool compare_runs(const CompareOptions& comparison) {
  ResultFile before = read_results(comparison.inputs.at(0)), after = read_results(comparison.inputs.at(1));
  if (comparison.without_throttled)
    for (ResultFile* file : {&before, &after}) leave_out_throttled(*file);
  const Cells old_cells(before), new_cells(after);
  if (std::ranges::none_of(old_cells.all(), [&](const Result& r) { return new_cells.find(r.name()); }))
    throw Error(fmt::format("{} and {} have no cell in common", before.path, after.path));
  const std::vector<Compared> compared = compare_times(comparison, before, old_cells, new_cells);
  const std::vector<Untimed> untimed = untimed_cells(old_cells, new_cells);
  std::map<std::string, std::vector<double>> ratios;  // by experiment
  for (const Compared& cell : compared)
    ratios[averaging_group(*cell.after)].push_back(speedup(cell.change.ratio).value);

  Page page(comparison.format, comparison.output);
  page.table(runs(before, after));
  if (const std::string devices = other_devices(compared); !devices.empty())
    page.paragraph("Different devices: " + devices + ". Verdicts compare the devices, not versions of the program.");
  if (const std::string differ = different_contexts(before, after); !differ.empty())
    page.paragraph("The runs differ in what may explain changes: " + differ + ".");
  if (const std::string tuned = tuned_otherwise(old_cells, new_cells); !tuned.empty())
    page.paragraph("The table of bench tune had other tunings for " + tuned + ".");
  page.table(times_table(compared, comparison.all));
  page.table(energy_table(compared));
  page.table(untimed_table(untimed, comparison.all));
  page.table(geometric_means(ratios, "new, × as fast as old"));
  page.paragraph(summary(compared, untimed, comparison.all));
  page.write();
  return std::ranges::none_of(compared, [](const Compared& c) { return c.change.kind == ChangeKind::slower; }) &&
         std::ranges::none_of(untimed, [](const Untimed& cell) { return cell.what == broken; });
}

}  // namespace crosswarp
