// For each experiment: the ladder at the last point of each sweep, the sweep with every rung, and the findings.
#include "bench/report/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "bench/report/cells.hpp"
#include "bench/report/points.hpp"
#include "core/format.hpp"

namespace crosswarp {
namespace {

/// Results at one point, rung by rung.
using Rungs = std::vector<const Result*>;

/// Results by name, of one device.
using Named = std::map<std::string, const Result*>;

std::string title(const Result& first, const std::string& what, const std::string& point) {
  return markdown_cell(fmt::format("{}{}{}{}, {}, by {}", first.device.name.empty() ? "no device" : first.device.name,
                                   what, point.empty() ? "" : ", ", point, to_string(first.mode),
                                   to_string(first.launch_by)));
}

/// Every rung at one point, with its time by graph beside its time by stream where there are both.
std::string ladder(const Rungs& rungs, const Named& named) {
  const auto by_graph = [&](const Result& r) -> const Result* {
    const auto found = named.find(launched_otherwise(r));
    return r.launch_by == LaunchBy::graph || found == named.end() ? nullptr : found->second;
  };
  const auto beside = [&](const char* name) {
    return [&by_graph, &shown = field(name)](const Result& r) {
      const Result* graph = by_graph(r);
      return graph ? shown.show(*graph) : "";
    };
  };
  std::vector<Column> all = columns(Field::markdown);
  const auto first_text = std::find_if(all.begin() + 1, all.end(), [](const Column& c) { return c.is_text; });
  all.insert(first_text, {{"time by graph", beside("real_time")}, {"× library by graph", beside("over_library")}});
  return title(*rungs.front(), "", short_point(rungs.front()->cell.point)) + ":\n\n" +
         make_table(all, rungs).markdown(markdown_code);
}

/// A time, or the time of one access.
std::string in_short(const Result& r) {
  if (!r.time()) return to_string(r.status);
  return field(r.access_time() ? "rate" : "real_time").show(r);
}

/// Every rung at every point of a sweep over `axis`; a row for each rung, or for each point where these are many.
std::string overview(const std::vector<Rungs>& points, const std::string& axis) {
  constexpr std::size_t most_columns = 12;
  std::vector<std::string> rungs;
  for (const Rungs& point : points)
    for (const Result* r : point)
      if (std::find(rungs.begin(), rungs.end(), r->cell.rung()) == rungs.end()) rungs.push_back(r->cell.rung());
  std::vector<std::vector<std::string>> rows(1 + rungs.size());
  rows[0].emplace_back("rung");
  for (const Rungs& point : points)
    rows[0].push_back(fmt::format("{} = {}", axis, show_value(*find_axis(point.front()->cell.point, axis))));
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    rows[i + 1].push_back(rungs[i]);
    for (const Rungs& point : points) {
      const auto found = std::ranges::find(point, rungs[i], [](const Result* r) { return r->cell.rung(); });
      rows[i + 1].push_back(found == point.end() ? "" : in_short(**found));
    }
  }
  const bool turned = points.size() > most_columns;
  TextTable table;
  table.last_is_left = false;
  for (std::size_t i = 0; i < (turned ? rows[0].size() : rows.size()); ++i) {
    std::vector<std::string> cells;
    for (std::size_t j = 0; j < (turned ? rows.size() : rows[0].size()); ++j)
      cells.push_back(turned ? rows[j][i] : rows[i][j]);
    table.row(std::move(cells));
  }
  const Result& first = *points.front().front();
  return title(first, first.cost.rated == Quantity::accesses ? ", time of an access" : ", time of a launch",
               short_point(without_axis(first.cell.point, axis))) +
         ":\n\n" + table.markdown(turned ? markdown_cell : markdown_code);
}

/// The points of an experiment in one mode on one device, in their order.
using Points = std::map<Point, Rungs>;

/// The ladder at the last point of each sweep, and the sweep.
std::string tables(const Points& points, const Named& named) {
  std::vector<const Point*> all;
  for (const auto& [point, rungs] : points) all.push_back(&point);
  const std::string axis = sweep_axis(all);
  std::vector<Point> order;  // what sweeps leave as it is
  std::map<Point, std::vector<Rungs>> sweeps;
  for (const auto& [point, rungs] : points) {
    const Point rest = without_axis(point, axis);
    if (!sweeps.contains(rest)) order.push_back(rest);
    sweeps[rest].push_back(rungs);
  }
  std::string text;
  for (const Point& rest : order) {
    const std::vector<Rungs>& sweep = sweeps[rest];
    text += (text.empty() ? "" : "\n") + ladder(sweep.back(), named);
    if (sweep.size() > 1) text += "\n" + overview(sweep, axis);
  }
  return text;
}

std::string provenance(const std::vector<ResultFile>& files) {
  std::string text;
  for (const ResultFile& file : files) {
    std::string source = fmt::format("{}: commit {}, {}, seed {}", file.name(), file.said("commit"),
                                     file.said("date").substr(0, 10), file.said("seed"));
    if (file.context.contains("kokkos")) source += ", Kokkos " + file.said("kokkos");
    text += markdown_cell(source + ".") + "\n";
  }
  return text;
}

}  // namespace

std::string markdown_report(const std::vector<ResultFile>& files) {
  using Series = std::array<std::string, 3>;  // experiment, mode, device
  std::map<Series, std::vector<Finding>> findings;
  for (const ResultFile& file : files)
    for (const Conclusion& c : file.findings) findings[{c.experiment, c.mode, c.device}] = c.findings;
  const std::vector<ReportCell> cells = report_cells(files);
  std::map<Series, Points> all;
  std::map<std::string, Named> named;  // by device
  for (const auto& [result, source] : cells) {
    Points& points = all[{result.cell.variant->experiment, mode_of(result), result.device.name}];
    if (result.cell.half.empty()) points[result.cell.point].push_back(&result);  // of random points, findings
    named[result.device.name][result.name()] = &result;
  }
  std::string text;
  for (const auto& [series, points] : all) {
    text += fmt::format("{}### {}\n\n", text.empty() ? "" : "\n", markdown_code(series[0])) +
            tables(points, named[series[2]]);
    if (findings[series].empty()) continue;
    text += "\nFindings:\n\n";
    for (const Finding& finding : findings[series]) text += "- " + markdown_cell(to_string(finding)) + "\n";
  }
  return text + "\n" + provenance(files);
}

}  // namespace crosswarp
