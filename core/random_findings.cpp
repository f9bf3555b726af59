// The yardstick of a half is the same at all of its points.
#include "core/random_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace crosswarp {
namespace {

/// Results with a time at one point.
using Rows = std::vector<const Result*>;

/// What times are divided by.
enum class Yardstick { library, fastest, peak };

std::string name_of(Yardstick yardstick) {
  return yardstick == Yardstick::library   ? "speed over the fastest library"
         : yardstick == Yardstick::fastest ? "speed over the fastest rung"
                                           : "share of the measured peak";
}

/// The fastest of those that `takes` accepts; none without one.
template <class Takes>
std::optional<double> least_time(const Rows& rows, const Takes& takes) {
  std::optional<double> least;
  for (const Result* r : rows)
    if (takes(*r)) least = std::min(least.value_or(*r->time()), *r->time());
  return least;
}

bool is_library(const Result& r) { return r.cell.variant->library; }

Yardstick yardstick_of(const std::vector<Rows>& points) {
  const auto has = [&](const auto& takes) { return std::ranges::any_of(points, takes); };
  if (has([](const Rows& rows) {
        return least_time(rows, is_library) &&
               !std::ranges::all_of(rows, [](const Result* r) { return is_library(*r); });
      }))
    return Yardstick::library;
  return has([](const Rows& rows) { return rows.size() > 1; }) ? Yardstick::fastest : Yardstick::peak;
}

/// None where the point has no yardstick, and for a library beside itself.
std::optional<double> ratio(const Result& r, const Rows& rows, Yardstick yardstick) {
  if (yardstick == Yardstick::peak) return r.of_measured_peak();
  if (yardstick == Yardstick::library && is_library(r)) return {};
  const auto least = yardstick == Yardstick::library ? least_time(rows, is_library)
                                                     : least_time(rows, [](const Result&) { return true; });
  return least ? std::optional(*least / *r.time()) : std::nullopt;
}

double work(const Cost& cost) { return cost.flops > 0 ? cost.flops : cost.amount(); }

}  // namespace

std::string averaging_group(const Result& result) {
  const std::string& half = result.cell.half;
  return result.cell.variant->experiment + (half.empty() ? "" : ", random, " + half);
}

std::vector<Finding> random_findings(const std::vector<Result>& results) {
  std::map<std::string, std::map<Point, Rows>> halves;
  for (const Result& r : results)
    if (!r.cell.half.empty() && r.time()) halves[r.cell.half][r.cell.point].push_back(&r);
  std::vector<Finding> findings;
  for (const auto& [half, by_point] : halves) {
    std::vector<Rows> points;
    for (const auto& [point, rows] : by_point) points.push_back(rows);
    const Yardstick yardstick = yardstick_of(points);
    std::map<std::string, std::vector<std::pair<double, const Result*>>> rungs;
    for (const Rows& rows : points)
      for (const Result* r : rows)
        if (const auto value = ratio(*r, rows, yardstick)) rungs[r->cell.rung()].emplace_back(*value, r);
    for (const auto& [rung, ratios] : rungs) {
      const auto& [worst, where] = *std::ranges::min_element(ratios, {}, &std::pair<double, const Result*>::first);
      std::vector<double> values;
      std::vector<Finding::Values> series;
      for (const auto& [value, r] : ratios) {
        values.push_back(value);
        series.push_back({{"point", r->cell.point.name()}, {"work", work(r->cost)}, {"ratio", value}});
      }
      findings.push_back({.kind = "random_points",
                          .text = "random points, {half}: {what} of {rung}: geometric mean {mean:.3g} of {points:.0f}, "
                                  "worst {worst:.3g} at {where}",
                          .values = {{"half", half},
                                     {"what", name_of(yardstick)},
                                     {"rung", rung},
                                     {"mean", geometric_mean(values)},
                                     {"points", values.size()},
                                     {"worst", worst},
                                     {"where", where->cell.point.name()}},
                          .each = "{point}: {ratio:.3g}",
                          .series = std::move(series)});
    }
  }
  return findings;
}

}  // namespace crosswarp
