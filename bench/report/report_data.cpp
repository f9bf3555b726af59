// Compact, since a page may hold thousands of cells: what repeats is told once and referred to by its place, a cell is
// a line of values, numbers have the digits that mean something.
#include "bench/report/report_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "bench/report/cells.hpp"
#include "bench/report/markdown.hpp"
#include "bench/version.hpp"
#include "core/counters.hpp"

namespace crosswarp {
namespace {

/// `value` to a few significant digits: as many as a time has, and more than any counter needs.
Json digits(double value, int count = 5) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::trunc(value) && std::abs(value) < 1e7) return static_cast<std::int64_t>(value);
  return std::stod(fmt::format("{:.{}g}", value, count));
}

Json digits(const std::optional<double>& value) { return value ? digits(*value) : Json(nullptr); }

/// A value of the file, which older ones may lack.
Json value(const Row& row, const char* key) {
  const auto found = row.all.find(key);
  if (found == row.all.end()) return nullptr;
  return found->is_number() ? digits(found->get<double>()) : *found;
}

Json ratio_json(const std::optional<Ratio>& ratio) {
  if (!ratio) return nullptr;
  return {digits(ratio->value), digits(ratio->interval.low), digits(ratio->interval.high)};
}

/// Things that cells refer to by their place.
class Table {
 public:
  Json place(const std::string& key, const Json& entry) {
    const auto [found, is_new] = places_.try_emplace(key, entries_.size());
    if (is_new) entries_.push_back(entry);
    return found->second;
  }
  /// Of a text; null where it is empty.
  Json place(const Json& text) {
    return text.is_string() && !text.get_ref<const std::string&>().empty() ? place(text.get<std::string>(), text) : Json(nullptr);
  }
  const Json& entries() const { return entries_; }

 private:
  Json entries_ = Json::array();
  std::map<std::string, std::size_t> places_;
};

/// The tables and the cells that refer to them.
class Cells {
 public:
  Cells() {
    for (const Counter& counter : all_counters()) counters_.push_back(std::string(counter.name));
  }

  void add(const ReportCell& cell) {
    const Row& row = cell.row;
    const double time = location(row.seconds);  // not a number where there are no samples
    const Interval interval = row.ok() ? median_interval(medians(row.seconds)) : Interval{time, time};
    // With repetitions the time is that of all, the rates are those of the first.
    const double correction = row.ok() && row.time ? *row.time / time : 1;
    const auto rate = [&](const char* key) {
      const Json raw = value(row, key);
      return raw.is_number() ? digits(raw.get<double>() * correction) : raw;
    };
    const auto text = [&](const char* key) { return texts_.place(value(row, key)); };
    Json observed = Json::object();
    for (const auto& [name, number] : row.observed) observed[name] = digits(number);
    cells_.push_back({
        {"rung", rung(row)},
        {"point", point(row)},
        {"mode", texts_.place(row.mode)},
        {"device", texts_.place(row.device)},
        {"source", cell.source},
        {"status", texts_.place(row.status)},
        {"note", texts_.place(row.note)},
        {"time", digits(time)},
        {"low", digits(interval.low)},
        {"high", digits(interval.high)},
        {"spread", flatten(row.seconds).size() > 1 ? value(row, "spread") : Json(nullptr)},
        {"samples", flatten(row.seconds).size()},
        {"placements", row.seconds.size()},
        {"launches", value(row, "launches_per_sample")},
        {"rate", row.rate ? digits(*row.rate * correction) : Json(nullptr)},
        {"rate_of", texts_.place(to_string(row.rate_of))},
        {"of_measured", rate("of_measured_peak")},
        {"of_theoretical", rate("of_theoretical_peak")},
        {"bytes_rate", rate("bytes_per_second")},
        {"flops_rate", rate("flops_per_second")},
        {"ceiling", texts_.place(ceiling(row))},
        {"measured_peak",
         value(row, row.all.contains("measured_peak") ? "measured_peak" : "measured_peak_bytes_per_second")},
        {"theoretical_peak", value(row, "theoretical_peak")},
        {"floor", digits(row.floor)},
        {"clock", value(row, "sm_clock_mhz")},
        {"clock_before", value(row, "sm_clock_mhz_before")},
        {"throttle", text("throttle")},
        {"stopped", text("stopped")},
        {"bound", text("bound")},
        {"most_gain", value(row, "most_gain")},
        {"proof", text("proof")},
        {"registers", value(row, "registers")},
        {"shared_bytes", value(row, "shared_bytes")},
        {"occupancy", value(row, "occupancy")},
        {"blocks", value(row, "blocks")},
        {"threads", value(row, "threads_per_block")},
        {"error", value(row, "verdict_error")},
        {"error_bound", value(row, "verdict_bound")},
        {"parent", ratio_json(row.over_parent)},
        {"library", ratio_json(row.over_library)},
        {"other", ratio_json(row.over_other)},
        {"other_rung", text("other")},
        {"observed", observed},
        {"accuracy", accuracy(row)},
        {"counters", counts(row)},
    });
  }

  /// Adds all to `json`: the cells as lines of values, below `columns`.
  void write(Json& json) const {
    json["texts"] = texts_.entries();
    json["rungs"] = rungs_.entries();
    json["points"] = points_.entries();
    json["counters"] = Json::array();
    for (const Counter& c : all_counters())
      json["counters"].push_back({std::string(c.name), std::string(c.unit), std::string(c.meaning)});
    json["columns"] = Json::array();
    json["cells"] = Json::array();
    for (const Json& cell : cells_) {
      Json line = Json::array();
      for (const auto& [column, content] : cell.items()) line.push_back(content);
      json["cells"].push_back(line);
    }
    if (!cells_.empty())
      for (const auto& [column, content] : cells_.front().items()) json["columns"].push_back(column);
  }

 private:
  Json rung(const Row& row) {
    return rungs_.place(row.rung, {{"name", row.rung},
                                   {"backend", row.backend},
                                   {"experiment", row.experiment},
                                   {"variant", value(row, "variant")},
                                   {"tuning", value(row, "tuning")},
                                   {"idea", row.idea},
                                   {"bound_by", row.bound_by},
                                   {"improves", value(row, "improves")},
                                   {"library", row.library}});
  }
  Json point(const Row& row) {
    return points_.place(row.experiment + " " + row.axes.dump(),
                         {{"name", row.point}, {"short", short_point(row.axes)}, {"axes", row.axes}});
  }
  /// What the rate is held to. Files of version 0.0 know memory only.
  static Json ceiling(const Row& row) {
    return row.all.contains("ceiling") ? value(row, "ceiling") : row.of_peak ? Json("memory") : Json(nullptr);
  }
  /// By distribution: ulps, median and max; relative, median and max. Null where they were not measured.
  static Json accuracy(const Row& row) {
    if (!row.accuracy) return nullptr;
    Json all = Json::object();
    for (const ErrorSummary& errors : row.accuracy->on)
      all[show_distribution(errors.distribution)] = {digits(errors.ulp_median, 3), digits(errors.ulp_max, 3),
                                                     digits(errors.relative_median, 3), digits(errors.relative_max, 3)};
    return all;
  }
  /// In the order of all counters; null where nothing was counted.
  Json counts(const Row& row) const {
    if (row.counters.empty()) return nullptr;
    Json counts = Json::array();
    for (const std::string& name : counters_) {
      const auto found = row.counters.find(name);
      counts.push_back(found == row.counters.end() ? Json(nullptr) : digits(found->second, 4));
    }
    return counts;
  }

  std::vector<std::string> counters_;
  Table texts_, rungs_, points_;
  std::vector<Json> cells_;
};

Json range(const std::optional<std::array<double, 3>>& values) {
  if (!values) return nullptr;
  return {digits((*values)[0]), digits((*values)[1]), digits((*values)[2])};
}

Json sources(const std::vector<ResultFile>& files) {
  Json all = Json::array();
  for (const ResultFile& file : files) all.push_back({{"file", file.name()}, {"context", file.context}});
  return all;
}

Json findings(const std::vector<ResultFile>& files) {
  Json all = Json::array();
  for (const ResultFile& file : files)
    for (const Conclusion& c : file.findings) {
      Json plateaus = Json::array(), lines = Json::array();
      for (const Finding& finding : c.findings) {
        const std::string line = to_string(finding);
        lines.push_back(line);
        if (const auto p = plateau(line))
          plateaus.push_back({{"rung", p->rung},
                              {"space", p->space},
                              {"stride", p->stride},
                              {"seconds", digits(p->seconds)},
                              {"first", p->first},
                              {"last", digits(p->last)}});
      }
      all.push_back({{"experiment", c.experiment},
                     {"mode", c.mode},
                     {"device", c.device},
                     {"source", &file - files.data()},
                     {"lines", lines},
                     {"plateaus", plateaus}});
    }
  return all;
}

double bytes(const std::string& number, const std::string& unit) {
  double value = std::stod(number);
  for (const char* larger : {"KiB", "MiB", "GiB", "TiB"}) {
    if (unit == "B") break;
    value *= 1024;
    if (unit == larger) break;
  }
  return value;
}

}  // namespace

std::optional<Plateau> plateau(const std::string& finding) {
  static const std::regex level(
      R"(^(\S+), (\w+), slots of (\d+) B: level \d+: (?:[\d.]+ cycles \()?([\d.]+) ns\)? per load.*, )"
      R"(([\d.]+) (\w+) (?:and up|to ([\d.]+) (\w+), .*)$)");
  std::smatch m;
  if (!std::regex_match(finding, m, level)) return {};
  return Plateau{m[1],
                 m[2],
                 m[3],
                 std::stod(m[4]) * 1e-9,
                 bytes(m[5], m[6]),
                 m[7].matched ? bytes(m[7], m[8]) : std::numeric_limits<double>::infinity()};
}

Json report_data(const std::vector<ResultFile>& files) {
  const std::vector<ReportCell> all = report_cells(files);
  Json json;
  json["made_by"] = fmt::format("crosswarp {}, commit {}", version(), commit());
  json["sources"] = sources(files);
  json["findings"] = findings(files);
  Cells cells;
  for (const ReportCell& cell : all) cells.add(cell);
  cells.write(json);
  json["side_by_side"] = Json::array();
  for (const SideBySide& s : side_by_side(all))
    json["side_by_side"].push_back({s.reference, s.cell, ratio_json(s.ratio), s.paired});
  json["portability"] = Json::array();
  for (const Portability& p : portability(all)) {
    Json devices = Json::array();
    for (const auto& d : p.devices) devices.push_back({d.device, digits(d.of_best), digits(d.of_peak)});
    json["portability"].push_back({{"experiment", p.experiment},
                                   {"mode", p.mode},
                                   {"backend", p.backend},
                                   {"application", p.application},
                                   {"points", p.points},
                                   {"devices", devices},
                                   {"of_best", range(p.of_best)},
                                   {"of_peak", range(p.of_peak)}});
  }
  return json;
}

}  // namespace crosswarp
