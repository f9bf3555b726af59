// Two tables for each experiment: the ladder at its largest point, and every rung over all points.
#include "bench/report/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "bench/report/output.hpp"
#include "bench/report/result_file.hpp"
#include "core/format.hpp"

namespace crosswarp {
namespace {

std::string factor(const std::optional<Ratio>& ratio, bool with_interval = false) {
  if (!ratio) return "";
  const std::string value = times(ratio->value);
  if (!with_interval || std::isnan(ratio->interval.low)) return value;
  return fmt::format("{} [{}, {}]", value, times(ratio->interval.low), times(ratio->interval.high));
}

/// `2^20` where it is that, else decimal.
std::string short_value(const Json& value) {
  if (!value.is_number_integer()) return value.get<std::string>();
  const auto n = value.get<std::int64_t>();
  int exponent = 0;
  while (exponent < 62 && (std::int64_t{1} << exponent) < n) ++exponent;
  return n >= 1024 && (std::int64_t{1} << exponent) == n ? fmt::format("2^{}", exponent) : std::to_string(n);
}

/// Whether a coordinate goes without saying: an offset of 0, say.
bool is_implied(const std::string& axis, const Json& value) { return axis != "n" && value == Json(0); }

/// The point in words, but for axes in `known`.
std::string short_point(const Json& axes, const std::set<std::string>& known = {}) {
  std::string text;
  for (const auto& [axis, value] : axes.items())
    if (!known.contains(axis) && !is_implied(axis, value))
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", axis, short_value(value));
  return text;
}

std::string ladder(const std::vector<Row>& rows, const std::string& device, const std::string& mode) {
  std::string text = fmt::format("{}, {}, {}:\n\n", device, short_point(rows.front().axes), mode);
  text += "| rung | time | rate | of measured peak | × parent | × library | × other backend [95 %] | idea |\n";
  text += "|---|--:|--:|--:|--:|--:|--:|---|\n";
  for (const Row& r : rows)
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} |\n", r.rung, r.time ? si(r.time, "s") : r.status,
                        show_rate(r.rate, r.rate_of), percent(r.of_peak), factor(r.over_parent), factor(r.over_library),
                        factor(r.over_other, true), r.idea);
  return text;
}

std::string overview(const std::vector<std::vector<Row>>& points, const std::string& device, const std::string& mode) {
  std::vector<std::string> rungs;
  for (const auto& rows : points)
    for (const Row& r : rows)
      if (std::find(rungs.begin(), rungs.end(), r.rung) == rungs.end()) rungs.push_back(r.rung);
  std::set<std::string> constant;  // axes that all points share: said once
  std::string shared;
  for (const auto& [axis, value] : points.front().front().axes.items())
    if (points.size() > 1 && std::all_of(points.begin(), points.end(), [&, a = axis, v = value](const auto& rows) {
          return rows.front().axes.at(a) == v;
        })) {
      constant.insert(axis);
      if (!is_implied(axis, value)) shared += fmt::format(", {} = {}", axis, short_value(value));
    }
  std::string text = fmt::format("{}, time of a launch{}, {}:\n\n| rung |", device, shared, mode);
  std::string line = "|---|";
  for (const auto& rows : points) {
    text += fmt::format(" {} |", short_point(rows.front().axes, constant));
    line += "--:|";
  }
  text += "\n" + line + "\n";
  for (const std::string& rung : rungs) {
    text += fmt::format("| `{}` |", rung);
    for (const auto& rows : points) {
      const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.rung == rung; });
      text += fmt::format(" {} |", found == rows.end() ? "" : found->time ? si(found->time, "s") : found->status);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

void write_markdown(const std::vector<std::string>& inputs, const std::string& output) {
  // experiment, mode and device → point (numbers sort as numbers) → rows
  std::map<std::array<std::string, 3>, std::map<std::vector<Json>, std::vector<Row>>> all;
  std::string provenance;
  for (const std::string& path : inputs) {
    ResultFile file = read_results(path);
    provenance += fmt::format("{}: commit {}, {}, seed {}", path.substr(path.find_last_of('/') + 1),
                              file.said("commit"), file.said("date").substr(0, 10), file.said("seed"));
    if (file.context.contains("kokkos")) provenance += ", Kokkos " + file.said("kokkos");
    provenance += ".\n";
    for (Row& row : file.rows) {
      if (row.repetition != 0) continue;
      std::vector<Json> key;
      for (const auto& [axis, value] : row.axes.items()) key.push_back(value);
      const std::string device = row.device.empty() ? "no device" : row.device;
      all[{row.experiment, row.mode, device}][key].push_back(std::move(row));
    }
  }
  std::string text;
  for (const auto& [what, points] : all) {
    std::vector<std::vector<Row>> in_order;
    for (const auto& [key, rows] : points) in_order.push_back(rows);
    text += fmt::format("{}### `{}`\n\n", text.empty() ? "" : "\n", what[0]);
    text += ladder(in_order.back(), what[2], what[1]) + "\n" + overview(in_order, what[2], what[1]);
  }
  text += "\n" + provenance;
  write_output(text, output);
}

}  // namespace crosswarp
