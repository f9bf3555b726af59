// The table on the terminal, and the columns that it shares with Markdown.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/noise.hpp"
#include "core/report.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t least_idea = 24, least_remark = 12;  // characters that are left of one

/// What to know about a number, before the idea: notes, observations, a tuning that is not the row's, whether it is
/// proven.
std::string remarks(const Result& r, bool with_observed) {
  std::string all;
  const auto add = [&](const std::string& remark) {
    if (!remark.empty()) all += (all.empty() ? "" : ", ") + remark;
  };
  if (const std::string why = noise(r); !why.empty()) add("noisy: " + why);
  if (is_above_measured_peak(r)) add("above the measured peak");
  if (!r.tuned_by_table.empty()) add(r.tuned_by_table + " by the table of tunings");
  add(r.note);
  if (with_observed) add(field("observed").show(r));
  if (r.accuracy && !r.accuracy->why_not.empty()) add("no accuracy: " + r.accuracy->why_not);
  if (r.proof.starts_with("unproven")) add("unproven");
  return all.empty() ? "" : fmt::format("({}) ", all);
}

std::vector<Column> error_columns(const std::string& what) {
  std::vector<Column> columns;
  for (const Distribution distribution : distributions)
    columns.push_back({what + show_distribution(distribution), [distribution](const Result& r) {
                         return show_ulps(r.accuracy ? r.accuracy->find(distribution) : nullptr);
                       }});
  return columns;
}

/// `(a note) what the variant does`; the reason of a row without figures.
Column idea_column(bool with_observed) {
  return {std::string(field("idea").head),
          [with_observed](const Result& r) {
            return r.status == Status::ok ? remarks(r, with_observed) + r.cell.variant->idea : r.label();
          },
          true};
}

/// `(a note)` of `(a note) what the variant does`.
std::string remarks_alone(const std::string& cell) {
  if (cell == field("idea").head) return "note";
  std::size_t end = 0;
  int open = 0;
  do open += cell[end] == '(' ? 1 : cell[end] == ')' ? -1 : 0;
  while (open > 0 && ++end < cell.size());
  return cell.substr(0, end && open == 0 ? end + 1 : end);
}

/// `4 launches a sample, an empty one takes 1.93 µs`, for the rows of a device that were timed together: most of them.
/// A row that was set aside because a launch of it is long has a sample of its own.
std::string sampling_of(const std::vector<const Result*>& timed) {
  std::map<std::size_t, std::vector<const Result*>> by_launches;
  for (const Result* r : timed) by_launches[r->measurement.launches].push_back(r);
  const auto most = std::ranges::max_element(by_launches, {}, [](const auto& each) { return each.second.size(); });
  const Result& first = *most->second.front();
  const std::string alone =
      by_launches.size() > 1 && by_launches.contains(1) && most->first > 1 ? " (slow rows: 1)" : "";
  return fmt::format("{} launch{} a sample{}, an empty one takes {}", most->first, most->first == 1 ? "" : "es", alone,
                     (noise(first).empty() ? "" : noisy_mark) + si(first.floor, "s"));
}

/// `2 threads, `: host threads of a launch, and whose where rows differ: `1 thread (kokkos) or 2 threads (host), `.
/// Empty on a GPU.
std::string threads_of(const std::vector<const Result*>& timed) {
  std::map<int, std::set<std::string>> backends;  // by number of threads
  for (const Result* r : timed)
    if (r->execution.threads > 0) backends[r->execution.threads].insert(r->cell.variant->backend);
  std::vector<std::string> numbers;
  for (const auto& [threads, of] : backends) {
    numbers.push_back(fmt::format("{} thread{}", threads, threads == 1 ? "" : "s"));
    if (backends.size() > 1) numbers.back() += fmt::format(" ({})", fmt::join(of, ", "));
  }
  return numbers.empty() ? "" : fmt::format("{}, ", fmt::join(numbers, " or "));
}

std::string title_of(const std::vector<Result>& results) {
  const Result& first = results.front();
  std::string title = fmt::format("{}  {}  {}", first.cell.experiment->name, first.cell.point.name(),
                                  to_string(first.mode, first.launch_by));
  std::set<std::string> devices;
  for (const Result& r : results) {
    if (!r.time() || !devices.insert(r.device.key).second) continue;
    std::vector<const Result*> timed;
    for (const Result& other : results)
      if (other.time() && other.device.key == r.device.key) timed.push_back(&other);
    title += fmt::format("  |  {}: {}{}", r.device.name, threads_of(timed), sampling_of(timed));
  }
  return title;
}

/// The parts of a title that is longer than the terminal is wide stand below each other.
std::string fitted(std::string title, std::size_t width) {
  constexpr std::string_view between = "  |  ";
  if (width == 0 || columns(title) <= width) return title;
  std::string lines;
  for (std::size_t from = 0, to = 0; to != title.npos; from = to + between.size()) {
    to = title.find(between, from);
    lines += (from ? "\n  " : "") + wrapped(title.substr(from, to - from), width - 2, 2);
  }
  return lines;
}

/// Replaces many skipped rows by one line: `9 skipped`, with each reason and its count.
std::optional<std::pair<std::string, std::string>> fold_skipped(std::vector<const Result*>& rows) {
  constexpr std::size_t most_rows = 2;
  std::map<std::string, std::size_t> counts;
  std::vector<const Result*> others;
  for (const Result* r : rows)
    if (r->status == Status::skipped)
      ++counts[r->note];
    else
      others.push_back(r);
  const std::size_t skipped = rows.size() - others.size();
  if (skipped <= most_rows) return {};
  rows = std::move(others);
  std::string reasons;
  for (const auto& [note, count] : counts) reasons += fmt::format("{}{} {}", reasons.empty() ? "" : "; ", count, note);
  return std::pair(fmt::format("{} skipped", skipped), reasons);
}

std::vector<const Result*> pointers(const std::vector<Result>& results) {
  std::vector<const Result*> all;
  for (const Result& r : results) all.push_back(&r);
  return all;
}

TextTable::Colour colour_of(const Result& r, const Result* fastest) {
  if (r.status == Status::skipped) return TextTable::Colour::faint;
  if (r.status != Status::ok || (r.accuracy && !r.accuracy->why_not.empty())) return TextTable::Colour::bad;
  return &r == fastest ? TextTable::Colour::good : TextTable::Colour::none;
}

/// Over ranks a rate in bytes has a column of its own name, `busbw`.
bool is_repeated(const Field& field, const Result& r) {
  return field.name == "rate" && r.bus_bandwidth() && r.cost.rated == Quantity::bytes;
}

}  // namespace

std::vector<Column> columns(Field::Output output) {
  std::vector<Column> columns;
  for (const Field& field : fields()) {
    if (!field.is_in(output)) continue;
    if (field.name != "idea") {
      columns.push_back({std::string(field.head),
                         [&field](const Result& r) { return is_repeated(field, r) ? "" : field.show(r); },
                         field.is_text(), field.is_in(Field::ranks)});
      continue;
    }
    if (output == Field::markdown)
      for (Column& column : error_columns("ulps, ")) columns.push_back(std::move(column));
    columns.push_back(idea_column(output == Field::terminal));
  }
  return columns;
}

TextTable make_table(const std::vector<Column>& columns, const std::vector<const Result*>& results) {
  TextTable table;
  std::vector<std::string> head;
  for (const Column& column : columns) {
    if (column.is_text) table.left(head.size());
    head.push_back(column.head);
  }
  table.row(std::move(head), TextTable::Colour::faint);
  const auto idea =
      static_cast<std::size_t>(std::ranges::find(columns, field("idea").head, &Column::head) - columns.begin());
  const Result* fastest = nullptr;
  for (const Result* r : results)
    if (r->time() && (!fastest || *r->time() < *fastest->time())) fastest = r;
  for (const Result* r : results) {
    std::vector<std::string> row;
    for (const Column& column : columns) row.push_back(column.show(*r));
    const TextTable::Colour colour = colour_of(*r, results.size() > 1 ? fastest : nullptr);
    r->status == Status::ok ? table.row(std::move(row), colour) : table.row_of_text(std::move(row), idea, colour);
  }
  return table;
}

std::string summary(const VariantEntry& variant) {
  return variant.bound_by.empty() ? variant.idea : variant.idea + "; bound by " + variant.bound_by;
}

std::string show_ulps(const ErrorSummary* errors) {
  return errors ? fmt::format("{:.3g} / {:.3g}", errors->ulp_median, errors->ulp_max) : "";
}

std::string show_distribution(Distribution distribution) {
  std::string name = to_string(distribution);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string accuracy_table(const std::vector<Result>& results, const Terminal& terminal) {
  std::vector<const Result*> measured = pointers(results);
  std::erase_if(measured, [](const Result* r) { return !r->accuracy; });
  if (measured.empty()) return {};
  const Field& rung = field("rung");
  std::vector<Column> chosen = error_columns("");
  chosen.insert(chosen.begin(), {std::string(rung.head), [&rung](const Result& r) { return rung.show(r); }, true});
  chosen.push_back(idea_column(false));
  TextTable table = make_table(chosen, measured);
  table.narrow(0, without_experiment);
  table.cut(chosen.size() - 1, least_idea);
  table.narrow(chosen.size() - 1);
  return "errors in ulps: median / max\n" + table.text(terminal.width, terminal.colours);
}

std::string table(const std::vector<Result>& results, const Terminal& terminal) {
  if (results.empty()) return {};
  const std::vector<Column> shown = columns(Field::terminal);
  const auto at = [&](std::string_view name) {
    const auto found = std::ranges::find(shown, field(name).head, &Column::head);
    return static_cast<std::size_t>(found - shown.begin());
  };
  std::vector<const Result*> rows = pointers(results);
  const auto skipped = terminal.width ? fold_skipped(rows) : std::nullopt;
  TextTable text = make_table(shown, rows);
  if (skipped) text.row_of_text({skipped->first, skipped->second}, 1, TextTable::Colour::faint);
  // Ideas before figures, the least of them first.
  text.narrow(at("bound_by"));
  text.narrow(at("rung"), without_experiment);
  text.cut(at("idea"), least_idea);
  text.narrow(at("over_other"), without_details);
  text.narrow(at("over_parent"), without_details);
  text.narrow(at("idea"), remarks_alone);
  text.cut(at("idea"), least_remark);
  text.narrow(at("idea"));
  text.narrow(at("spread"));
  return fitted(title_of(results), terminal.width) + "\n" + text.text(terminal.width, terminal.colours) +
         accuracy_table(results, terminal);
}

}  // namespace crosswarp
