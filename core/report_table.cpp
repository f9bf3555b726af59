// The table on the terminal, and the columns that it shares with Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/report.hpp"

namespace crosswarp {
namespace {

/// What to know about a number, before the idea: notes, observations, whether it is proven.
std::string remarks(const Result& r, bool with_observed) {
  std::string all;
  const auto add = [&](const std::string& remark) {
    if (!remark.empty()) all += (all.empty() ? "" : ", ") + remark;
  };
  add(r.note);
  if (with_observed) add(field("observed").show(r));
  if (r.accuracy && !r.accuracy->why_not.empty()) add("no accuracy: " + r.accuracy->why_not);
  if (r.proof.starts_with("unproven")) add("unproven");
  return all.empty() ? "" : fmt::format("({}) ", all);
}

std::vector<Column> error_columns() {
  std::vector<Column> columns;
  for (const Distribution distribution : distributions)
    columns.push_back({"ulps, " + show_distribution(distribution), [distribution](const Result& r) {
                         return show_ulps(r.accuracy ? r.accuracy->find(distribution) : nullptr);
                       }});
  return columns;
}

/// A title that is longer than the terminal is wide, part by part.
std::string wrapped(std::string title, std::size_t width) {
  constexpr std::string_view between = "  |  ";
  if (width == 0 || columns(title) <= width) return title;
  for (auto at = title.find(between); at != title.npos; at = title.find(between))
    title.replace(at, between.size(), "\n  ");
  return title;
}

std::string title_of(const std::vector<Result>& results) {
  const Result& first = results.front();
  std::string title = fmt::format("{}  {}  {}", first.cell.experiment->name, first.cell.point.name(),
                                  to_string(first.mode, first.launch_by));
  std::set<std::string> devices;
  for (const Result& r : results)
    if (r.time() && devices.insert(r.device.key).second)
      title += fmt::format("  |  {}: {} launch{} a sample, an empty one takes {}", r.device.name,
                           r.measurement.launches, r.measurement.launches == 1 ? "" : "es", si(r.floor, "s"));
  const bool has_errors = std::ranges::any_of(results, [](const Result& r) { return r.accuracy.has_value(); });
  return has_errors ? title + "  |  errors in ulps: median / max" : title;
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

}  // namespace

std::vector<Column> columns(Field::Output output) {
  std::vector<Column> columns;
  for (const Field& field : fields()) {
    if (!field.is_in(output)) continue;
    if (field.name != "idea") {
      columns.push_back(
          {std::string(field.head), [&field](const Result& r) { return field.show(r); }, field.is_text()});
      continue;
    }
    for (Column& column : error_columns()) columns.push_back(std::move(column));
    // A row without numbers has its reason there.
    columns.push_back({std::string(field.head),
                       [observed = output == Field::terminal](const Result& r) {
                         return r.status == Status::ok ? remarks(r, observed) + r.cell.variant->idea : r.label();
                       },
                       true});
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
  const Result* fastest = nullptr;
  for (const Result* r : results)
    if (r->time() && (!fastest || *r->time() < *fastest->time())) fastest = r;
  for (const Result* r : results) {
    std::vector<std::string> row;
    for (const Column& column : columns) row.push_back(column.show(*r));
    table.row(std::move(row), colour_of(*r, results.size() > 1 ? fastest : nullptr));
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
  std::vector<Column> chosen;
  for (Column& column : columns(Field::terminal))
    if (column.head == "rung" || column.head == "idea" || column.head.starts_with("ulps"))
      chosen.push_back(std::move(column));
  return "errors in ulps: median / max\n" + make_table(chosen, measured).text(terminal.width, terminal.colours);
}

std::string table(const std::vector<Result>& results, const Terminal& terminal) {
  if (results.empty()) return {};
  const std::vector<Column> shown = columns(Field::terminal);
  const auto at = [&](std::string_view name) {
    const auto found = std::ranges::find(shown, field(name).head, &Column::head);
    return static_cast<std::size_t>(found - shown.begin());
  };
  TextTable text = make_table(shown, pointers(results));
  text.narrow(at("bound_by"));
  text.narrow(at("rung"), without_experiment);
  text.narrow(at("over_other"), without_details);
  text.narrow(at("over_parent"), without_details);
  for (const char* name : {"spread", "over_other", "of_measured_peak", "over_library", "over_parent"})
    text.narrow(at(name));
  return wrapped(title_of(results), terminal.width) + "\n" + text.text(terminal.width, terminal.colours);
}

}  // namespace crosswarp
