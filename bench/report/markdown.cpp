// For each experiment: the ladder at the last point of each sweep, the sweep with every rung, and what follows.
#include "bench/report/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "bench/report/cells.hpp"
#include "core/format.hpp"

namespace crosswarp {
namespace {

std::string factor(const std::optional<Ratio>& ratio, bool with_interval = false) {
  if (!ratio) return "";
  const std::string value = times(ratio->value);
  if (!with_interval || std::isnan(ratio->interval.low)) return value;
  return fmt::format("{} [{}, {}]", value, times(ratio->interval.low), times(ratio->interval.high));
}

/// Of loads that the kernel timed itself, its time, as in every other report.
std::string rate(const Row& row) {
  const auto by_the_kernel = row.observed.find("ns_per_load");
  return by_the_kernel == row.observed.end() || !row.time ? show_rate(row.rate, row.rate_of)
                                                          : show_rate(1e9 / by_the_kernel->second, Quantity::accesses);
}

/// ` (naive)`: what a ratio is to, as the field `key` of the file names it.
std::string to(const std::optional<Ratio>& ratio, const Row& row, const char* key) {
  const auto name = row.all.find(key);
  if (!ratio || name == row.all.end() || !name->is_string()) return "";
  return " (" + markdown_cell(without_experiment(name->get<std::string>())) + ")";
}

/// `2^20` where it is that, else decimal.
std::string short_value(const Json& value) {
  if (!value.is_number_integer()) return value.is_string() ? value.get<std::string>() : value.dump();
  const auto n = value.get<std::int64_t>();
  int exponent = 0;
  while (exponent < 62 && (std::int64_t{1} << exponent) < n) ++exponent;
  return n >= 1024 && (std::int64_t{1} << exponent) == n ? fmt::format("2^{}", exponent) : std::to_string(n);
}

/// Whether a coordinate goes without saying: an offset of 0, say.
bool is_implied(const std::string& axis, const Json& value) { return axis != "n" && value == Json(0); }

/// Whether any of the rows has what a column would show.
bool any(const std::vector<Row>& rows, std::optional<Ratio> Row::*ratio) {
  return std::any_of(rows.begin(), rows.end(), [&](const Row& r) { return (r.*ratio).has_value(); });
}

/// `34.2 cycles_per_load, …`
std::string observations(const Row& row) {
  std::string text;
  for (const auto& [name, value] : row.observed)
    text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", name, value);
  return text;
}

/// Rows of a device by name.
using Named = std::map<std::string, const Row*>;

/// `cold`, and how its launches reached the device.
std::string title_of(const std::string& mode) {
  return mode.ends_with(by_graph) ? fmt::format("{}, by graph", mode.substr(0, mode.size() - by_graph.size()))
                                  : mode + ", by stream";
}

/// Beside rows by stream, what the same ones take by graph.
std::string per_distribution(const std::function<std::string(Distribution)>& column) {
  std::string columns;
  for (const Distribution distribution : distributions) columns += column(distribution);
  return columns;
}

std::string ladder(const std::vector<Row>& rows, const std::string& device, const std::string& mode,
                   const Named& named) {
  const auto graph = [&](const Row& r) {
    const auto found = named.find(r.name + std::string(by_graph));
    return found == named.end() ? nullptr : found->second;
  };
  const bool graphs = std::any_of(rows.begin(), rows.end(), graph);
  const bool parent = any(rows, &Row::over_parent), library = any(rows, &Row::over_library),
             other = any(rows, &Row::over_other),
             observed = std::any_of(rows.begin(), rows.end(), [](const Row&r) { return !r.observed.empty(); }),
             bound = std::any_of(rows.begin(), rows.end(), [](const Row&r) { return !r.bound_by.empty(); }),
             accuracy = std::any_of(rows.begin(), rows.end(), [](const Row&r) { return r.accuracy.has_value(); });
  const auto column = [](bool shown, const std::string& cell) { return shown ? cell : std::string(); };
  std::string text = fmt::format("{}, {}, {}:\n\n", markdown_cell(device),
                                 markdown_cell(short_point(rows.front().axes)), markdown_cell(title_of(mode)));
  text += "| rung | time | rate | of measured peak |" + column(parent, " × parent |") +
          column(library, " × library |") + column(other, " × other backend [95 %] |") +
          column(graphs, " time by graph | × library by graph |") + column(observed, " observed |") +
          column(accuracy, per_distribution([](Distribution distribution) {
                   return fmt::format(" ulps, {}: median / max |", show_distribution(distribution));
                 })) +
          " idea |" + column(bound, " bound by |") + "\n|---|--:|--:|--:|" + column(parent, "--:|") +
          column(library, "--:|") + column(other, "--:|") + column(graphs, "--:|--:|") + column(observed, "---|") +
          column(accuracy, per_distribution([](Distribution) { return "--:|"; })) + "---|" + column(bound, "---|") +
          "\n";
  for (const Row& r : rows) {
    text += fmt::format("| {} | {} | {} | {} |", markdown_code(r.rung),
                        r.time ? si(r.time, "s") : markdown_cell(r.status), rate(r), percent(r.of_peak));
    text += column(parent, fmt::format(" {}{} |", factor(r.over_parent), to(r.over_parent, r, "improves")));
    text += column(library, fmt::format(" {} |", factor(r.over_library)));
    text += column(other, fmt::format(" {}{} |", factor(r.over_other, true), to(r.over_other, r, "other")));
    if (const Row* g = graph(r))
      text += fmt::format(" {} | {} |", g->time ? si(g->time, "s") : markdown_cell(g->status), factor(g->over_library));
    else
      text += column(graphs, "  |  |");
    text += column(observed, fmt::format(" {} |", markdown_cell(observations(r))));
    text += column(accuracy, per_distribution([&](Distribution distribution) {
                     return fmt::format(" {} |", show_ulps(r.accuracy ? r.accuracy->find(distribution) : nullptr));
                   }));
    text += fmt::format(" {} |", markdown_cell(r.idea)) +
            column(bound, fmt::format(" {} |", markdown_cell(r.bound_by))) + "\n";
  }
  return text;
}

/// What a cell of an overview shows: a time, or the time of one access.
std::string in_short(const Row& r) {
  if (!r.time) return markdown_cell(r.status);
  return r.rate_of == Quantity::accesses ? rate(r) : si(r.time, "s");
}

/// A table as Markdown, by lines of cells.
std::string markdown(const std::vector<std::vector<std::string>>& lines) {
  std::string text;
  for (const auto& line : lines) {
    text += "|";
    for (const std::string& cell : line) text += fmt::format(" {} |", cell);
    text += "\n";
    if (&line != &lines.front()) continue;
    text += "|---|";
    for (std::size_t c = 1; c < line.size(); ++c) text += "--:|";
    text += "\n";
  }
  return text;
}

/// Every rung at every point of a sweep over `axis`; a line for each rung, or for each point where these are many.
std::string overview(const std::vector<std::vector<Row>>& points, const std::string& axis, const std::string& device,
                     const std::string& mode) {
  constexpr std::size_t most_columns = 12;
  std::vector<std::string> rungs;
  for (const auto& rows : points)
    for (const Row& r : rows)
      if (std::find(rungs.begin(), rungs.end(), r.rung) == rungs.end()) rungs.push_back(r.rung);
  std::vector<std::vector<std::string>> lines(1 + rungs.size());
  lines[0].emplace_back("rung");
  for (const auto& rows : points)
    lines[0].push_back(markdown_cell(fmt::format("{} = {}", axis, short_value(rows.front().axes.at(axis)))));
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    lines[i + 1].push_back(markdown_code(rungs[i]));
    for (const auto& rows : points) {
      const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.rung == rungs[i]; });
      lines[i + 1].push_back(found == rows.end() ? "" : in_short(*found));
    }
  }
  if (points.size() > most_columns) {
    std::vector<std::vector<std::string>> turned(lines[0].size());
    for (const auto& line : lines)
      for (std::size_t c = 0; c < line.size(); ++c) turned[c].push_back(line[c]);
    lines = std::move(turned);
  }
  const std::string others = markdown_cell(short_point(points.front().front().axes, {axis}));
  return fmt::format("{}, {}{}, {}:\n\n", markdown_cell(device),
                     points.front().front().rate_of == Quantity::accesses ? "time of an access" : "time of a launch",
                     others.empty() ? "" : ", " + others, markdown_cell(title_of(mode))) +
         markdown(lines);
}

/// The points of an experiment: by the values of all axes, since numbers sort as numbers.
using Points = std::map<std::vector<Json>, std::vector<Row>>;

/// The axis of numbers that has most values; empty where there is one point only.
std::string sweep_axis(const Points& points) {
  std::map<std::string, std::set<Json>> values;
  for (const auto& [key, rows] : points)
    for (const auto& [axis, value] : rows.front().axes.items())
      if (value.is_number()) values[axis].insert(value);
  const auto most = std::max_element(values.begin(), values.end(),
                                     [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  return most == values.end() || most->second.size() < 2 ? "" : most->first;
}

/// The ladder at the last point of each sweep, and the sweep.
std::string tables(const Points& points, const std::string& device, const std::string& mode, const Named& named) {
  const std::string axis = sweep_axis(points);
  struct Sweep {
    Json rest;  // what it leaves as it is
    std::vector<std::vector<Row>> points;
  };
  std::vector<Sweep> sweeps;
  for (const auto& [key, rows] : points) {
    Json rest = rows.front().axes;
    rest.erase(axis);
    auto sweep = std::find_if(sweeps.begin(), sweeps.end(), [&](const Sweep& s) { return s.rest == rest; });
    if (sweep == sweeps.end()) sweep = sweeps.insert(sweeps.end(), Sweep{rest, {}});
    sweep->points.push_back(rows);
  }
  std::string text;
  for (const Sweep& sweep : sweeps) {
    text += (text.empty() ? "" : "\n") + ladder(sweep.points.back(), device, mode, named);
    if (sweep.points.size() > 1) text += "\n" + overview(sweep.points, axis, device, mode);
  }
  return text;
}

}  // namespace

std::string short_point(const Json& axes, const std::set<std::string>& known) {
  std::string text;
  for (const auto& [axis, value] : axes.items())
    if (!known.contains(axis) && !is_implied(axis, value))
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", axis, short_value(value));
  return text;
}

std::string markdown_report(const std::vector<ResultFile>& files) {
  // by experiment, mode and device
  std::map<std::array<std::string, 3>, Points> all;
  std::map<std::array<std::string, 3>, std::vector<Finding>> findings;
  std::string provenance;
  for (const ResultFile& file : files) {
    std::string source = fmt::format("{}: commit {}, {}, seed {}", file.name(), file.said("commit"),
                                     file.said("date").substr(0, 10), file.said("seed"));
    if (file.context.contains("kokkos")) source += ", Kokkos " + file.said("kokkos");
    provenance += markdown_cell(source + ".") + "\n";
    for (const Conclusion& f : file.findings) findings[{f.experiment, f.mode, f.device}] = f.findings;
  }
  std::vector<ReportCell> cells = report_cells(files);
  for (ReportCell& cell : cells) {
    Row& row = cell.row;
    std::vector<Json> key;
    for (const auto& [axis, value] : row.axes.items()) key.push_back(value);
    const std::string device = row.device.empty() ? "no device" : row.device;
    all[{row.experiment, row.mode, device}][key].push_back(std::move(row));
  }
  std::map<std::string, Named> named;  // by device
  for (const auto& [what, points] : all)
    for (const auto& [key, rows] : points)
      for (const Row& row : rows) named[what[2]][row.name] = &row;
  std::string text;
  for (const auto& [what, points] : all) {
    text += fmt::format("{}### {}\n\n", text.empty() ? "" : "\n", markdown_code(what[0])) +
            tables(points, what[2], what[1], named[what[2]]);
    if (findings[what].empty()) continue;
    text += "\nWhat follows:\n\n";
    for (const Finding& finding : findings[what]) text += "- " + markdown_cell(to_string(finding)) + "\n";
  }
  return text + "\n" + provenance;
}

}  // namespace crosswarp
