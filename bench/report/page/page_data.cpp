// Compact, since a page may hold thousands of cells: a repeated text is stored once and referred to by its index, a
// cell is an array of values, numbers are rounded. Every number that people read is a text here, formatted as in every
// other report; the page formats only the ticks of its axes.
#include "bench/report/page/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "bench/report/cells.hpp"
#include "bench/report/compare/ratios.hpp"
#include "bench/report/points.hpp"
#include "bench/version.hpp"
#include "core/bound.hpp"
#include "core/format.hpp"

namespace crosswarp {
namespace {

/// `value` to five significant digits, as many as a time has; counts below ten million exactly. Whole numbers are
/// integers, which are shorter in JSON.
Json digits(double value) {
  if (!std::isfinite(value)) return nullptr;
  constexpr double exact = 1e7, largest_integer = 1e15;
  const auto is_whole = [](double x) { return x == std::trunc(x); };
  if (!is_whole(value) || std::abs(value) >= exact)
    value = std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);  // also of denormal numbers
  if (is_whole(value) && std::abs(value) < largest_integer) return static_cast<std::int64_t>(value);
  return value;
}

Json digits(const std::optional<double>& value) { return value ? digits(*value) : Json(); }

/// Things that cells refer to by their index.
class Table {
 public:
  Json index(const std::string& key, const Json& entry) {
    const auto [found, is_new] = index_.try_emplace(key, entries_.size());
    if (is_new) entries_.push_back(entry);
    return found->second;
  }
  Json index(const std::string& text) { return index(text, text); }
  const Json& entries() const { return entries_; }

 private:
  Json entries_ = Json::array();
  std::map<std::string, std::size_t> index_;
};

/// The index of the empty text: one character in JSON, where null has four.
constexpr std::size_t no_text = 0;

/// The fields that some of `outputs` have.
std::vector<const Field*> fields_in(unsigned outputs) {
  std::vector<const Field*> chosen;
  for (const Field& field : fields())
    if (field.is_in(outputs)) chosen.push_back(&field);
  return chosen;
}

/// The cells, and the tables that they refer to.
class CellTables {
 public:
  CellTables() { texts_.index(""); }  // at no_text, since many cells have none of many

  void add(const ReportCell& cell) {
    const Result& r = cell.result;
    Json numbers = Json::object(), ladder = Json::array(), details = Json::array();
    for (const Field* field : charts_) {
      const Json value = field->get(r);
      numbers[std::string(field->name)] = value.is_number() ? digits(value.get<double>()) : Json();
    }
    for (const Column& column : ladder_) ladder.push_back(texts_.index(column.show(r)));
    for (const Field* field : details_) details.push_back(texts_.index(field->show(r)));
    Json line{{"rung", rung(*r.cell.variant, r.cell)},
              {"point", point(r)},
              {"mode", texts_.index(mode_of(r))},
              {"half", texts_.index(r.cell.half)},
              {"device", texts_.index(r.device.name)},
              {"source", cell.source},
              {"status", texts_.index(to_string(r.status))},
              {"note", texts_.index(r.note)},
              {"ceiling", texts_.index(std::string(r.cost.ceiling))},
              {"unit", texts_.index(std::string(rate_unit(r.cost.rated)))},
              {"rated", digits(r.access_time() ? r.access_time() : r.rate())},
              {"ladder", ladder},
              {"details", details},
              {"counters", counts(r)}};
    line.update(numbers);
    cells_.push_back(std::move(line));
  }

  /// Adds all to `json`: the cells as arrays of values, in the order of `columns`.
  void write(Json& json) const {
    json["texts"] = texts_.entries();
    json["rungs"] = rungs_.entries();
    json["points"] = points_.entries();
    json["counters"] = Json::array();
    for (const Counter& c : all_counters()) json["counters"].push_back({{"name", c.name}, {"meaning", c.meaning}});
    json["ladder"] = Json::array();
    for (const Column& column : ladder_)
      json["ladder"].push_back(
          {{"head", column.head}, {"is_text", column.is_text}, {"is_of_ranks", column.is_of_ranks}});
    const std::vector<std::size_t> details = details_in_use();
    json["details"] = Json::array();
    for (const std::size_t i : details)
      json["details"].push_back({{"name", details_[i]->name},
                                 {"meaning", details_[i]->meaning},
                                 {"head", details_[i]->head},
                                 {"group", group(*details_[i])}});
    json["columns"] = Json::array();
    json["cells"] = Json::array();
    for (const Json& cell : cells_) {
      Json line = Json::array(), known = Json::array();
      for (const std::size_t i : details) known.push_back(cell.at("details")[i]);
      // data.js reads what is past the end as no text, too.
      while (!known.empty() && known.back() == no_text) known.erase(known.size() - 1);
      for (const auto& [column, content] : cell.items()) line.push_back(column == "details" ? known : content);
      json["cells"].push_back(line);
    }
    if (!cells_.empty())
      for (const auto& [column, content] : cells_.front().items()) json["columns"].push_back(column);
  }

 private:
  /// Indices of those that any cell has: of ranks and of energy most pages have none.
  std::vector<std::size_t> details_in_use() const {
    std::vector<std::size_t> in_use;
    for (std::size_t i = 0; i < details_.size(); ++i)
      if (std::ranges::any_of(cells_, [i](const Json& cell) { return cell.at("details")[i] != no_text; }))
        in_use.push_back(i);
    return in_use;
  }
  static const char* group(const Field& field) {
    return field.is_in(Field::result) ? "result" : field.is_in(Field::kernel) ? "kernel" : "source";
  }
  Json rung(const VariantEntry& variant, const Cell& cell) {
    return rungs_.index(cell.rung(), {{"name", cell.rung()},
                                      {"backend", variant.backend},
                                      {"experiment", variant.experiment},
                                      {"variant", variant.name},
                                      {"tuning", cell.tuning->name()},
                                      {"idea", variant.idea},
                                      {"bound_by", variant.bound_by},
                                      {"library", variant.library}});
  }
  Json point(const Result& r) {
    Json axes = Json::object(), shown = Json::object();
    for (const auto& c : r.cell.point.coordinates()) {
      std::visit([&](const auto& value) { axes[c.axis] = value; }, c.value);
      shown[c.axis] = show_value(c);
    }
    return points_.index(
        r.cell.variant->experiment + " " + axes.dump(-1, ' ', false, Json::error_handler_t::replace),
        {{"name", r.cell.point.name()}, {"short", short_point(r.cell.point)}, {"axes", axes}, {"shown", shown}});
  }
  /// In the order of all counters; null where none was asked for.
  Json counts(const Result& r) {
    if (!r.counters) return nullptr;
    Json counts = Json::array();
    for (const Counter& counter : all_counters()) {
      const auto value = (*r.counters)[counter.name];
      counts.push_back(texts_.index(value ? show(counter, value) : ""));
    }
    return counts;
  }

  std::vector<const Field*> charts_ = fields_in(Field::chart),
                            details_ = fields_in(Field::result | Field::kernel | Field::source);
  std::vector<Column> ladder_ = columns(Field::markdown);
  Table texts_, rungs_, points_;
  std::vector<Json> cells_;
};

Json sources(const std::vector<ResultFile>& files) {
  Json all = Json::array();
  for (const ResultFile& file : files) all.push_back({{"file", file.name()}, {"context", file.context}});
  return all;
}

/// A level of a memory hierarchy, as a finding has it; null where it tells of none.
Json level(const Finding& finding) {
  if (finding.kind != "latency_level") return nullptr;
  return {{"rung", finding.word("rung")},
          {"space", finding.word("space")},
          {"stride", digits(finding.number("stride"))},
          {"seconds", digits(1e-9 * finding.number("ns").value_or(NAN))},
          {"first", digits(finding.number("first"))},
          {"last", digits(finding.number("last"))},
          {"text", to_string(finding)}};
}

Json findings(const std::vector<ResultFile>& files) {
  Json all = Json::array();
  for (const ResultFile& file : files)
    for (const Conclusion& c : file.findings) {
      Json lines = Json::array(), levels = Json::array();
      for (const Finding& finding : c.findings) {
        lines.push_back(to_string(finding));
        if (Json found = level(finding); !found.is_null()) levels.push_back(std::move(found));
      }
      all.push_back({{"experiment", c.experiment},
                     {"mode", c.mode},
                     {"device", c.device},
                     {"source", &file - files.data()},
                     {"lines", lines},
                     {"levels", levels}});
    }
  return all;
}

/// A fact of a device in the context, by what stands behind its key: as label and text.
std::array<std::string, 2> fact(const std::string& key, const std::string& value) {
  const auto number = [&] { return std::strtod(value.c_str(), nullptr); };
  if (key == "compute_units") return {"multiprocessors or cores", value};
  if (key == "clock_mhz") return {"clock", value + " MHz"};
  if (key == "memory_bytes") return {"memory", binary_bytes(number())};
  if (key == "cache_bytes") return {"cache", binary_bytes(number())};
  if (key == "theoretical_bytes_per_second") return {"memory’s rate, theoretical", si(number(), "B/s")};
  if (key == "measured_bytes_per_second") return {"memory’s rate, measured", si(number(), "B/s")};
  std::string words = key;
  std::ranges::replace(words, '_', ' ');
  return {words, value};
}

/// What one device's results have in common, in one line: driver, CUDA, commits and dates.
std::string in_one_line(const std::string& device, const Context& newest, const std::set<std::string>& commits,
                        const std::set<std::string>& dates) {
  std::string line = device.empty() ? "no device was opened" : device;
  const auto add = [&line](const std::string& text) { line.append(" · ").append(text); };
  for (const auto& [key, value] : newest) {
    if (!key.ends_with(".name") || value != device) continue;
    const std::string prefix = key.substr(0, key.size() - std::string_view("name").size());
    for (const auto& [fact, word] : {std::pair{"driver", "driver"}, {"cuda_runtime", "CUDA"}, {"hip_runtime", "HIP"}})
      if (const auto found = newest.find(prefix + fact); found != newest.end())
        add(fmt::format("{} {}", word, found->second));
    break;
  }
  if (commits.size() == 1) add(fmt::format("commit {}", *commits.begin()));
  if (commits.size() > 1) add(fmt::format("{} commits", commits.size()));
  if (!dates.empty())
    add(dates.size() == 1 ? *dates.begin() : fmt::format("{} to {}", *dates.begin(), *dates.rbegin()));
  return line;
}

/// What the newest file says of each device, and the peaks that its cells are held to; the device with most cells
/// first. Cells that were skipped before a device was opened have one without a name.
Json devices(const std::vector<ResultFile>& files, const std::vector<ReportCell>& cells) {
  std::map<std::string, std::vector<const ReportCell*>> by_name;
  for (const ReportCell& cell : cells) by_name[cell.result.device.name].push_back(&cell);
  if (by_name.size() > 1) by_name.erase("");
  std::vector<std::string> names;
  for (const auto& [name, own] : by_name) names.push_back(name);
  std::ranges::stable_sort(names, std::greater(), [&](const std::string& name) { return by_name[name].size(); });
  Json all = Json::array();
  for (const std::string& name : names) {
    std::set<std::string> commits, dates;
    for (const ReportCell* cell : by_name[name]) {
      const ResultFile& file = files[cell->source];
      commits.insert(file.said("commit"));
      dates.insert(file.said("date").substr(0, std::string_view("2026-01-31").size()));
    }
    const ResultFile& file = files[(*std::ranges::max_element(by_name[name], {}, [&](const ReportCell* cell) {
                                     return files[cell->source].said("date");
                                   }))->source];
    Json facts = Json::array();
    for (const auto& [key, value] : file.context) {
      if (!key.ends_with(".name") || value != name) continue;
      const std::string prefix = key.substr(0, key.size() - std::string_view("name").size());
      for (const auto& [other, is] : file.context)
        if (other.starts_with(prefix) && other != key) facts.push_back(fact(other.substr(prefix.size()), is));
      break;
    }
    std::set<std::string> told;
    for (const ReportCell* cell : by_name[name])
      for (const char* peak : {"theoretical_peak", "measured_peak"}) {
        const Result& r = cell->result;
        const std::string text = field(peak).show(r);
        if (r.cost.ceiling.empty() || r.cost.ceiling == "memory" || text.empty()) continue;
        const std::string label = fmt::format("{}, {}", r.cost.ceiling,
                                              peak == std::string_view("measured_peak") ? "measured" : "theoretical");
        if (told.insert(label).second) facts.push_back({label, text});
      }
    all.push_back({{"name", name},
                   {"file", file.name()},
                   {"line", in_one_line(name, file.context, commits, dates)},
                   {"facts", facts}});
  }
  return all;
}

/// The verdicts at all points, cells by their index.
class Verdicts {
 public:
  explicit Verdicts(const std::vector<ReportCell>& cells) : all_(verdicts(cells)) {
    for (const ReportCell& cell : cells) index_.emplace(&cell.result, index_.size());
    std::map<std::array<std::string, 3>, std::vector<const ExperimentVerdict*>> series;
    for (const ExperimentVerdict& v : all_) series[{v.experiment, v.mode, v.device}].push_back(&v);
    const auto& known = Registry::instance().experiments();
    for (const auto& [of, own] : series) {
      const auto experiment = known.find(of.front());
      headlines_.insert(
          headline(own, experiment == known.end() ? std::vector<Point>{} : experiment->second.headline_points()));
    }
  }

  Json data() const {
    Json list = Json::array();
    for (const ExperimentVerdict& v : all_) {
      Json ladder = Json::array(), others = Json::array(), not_ok = Json::object();
      for (const Step& step : v.ladder)
        ladder.push_back({{"cell", index_.at(step.result)},
                          {"ratio", step.over_parent ? digits(step.over_parent->value) : Json()},
                          {"text", step.over_parent ? times(step.over_parent->value) : ""}});
      for (const Rival& other : v.others)
        if (other.why_no_ratio.empty()) others.push_back(rival(other));
      for (const auto& [status, count] : v.not_ok) not_ok[to_string(status)] = count;
      list.push_back({{"experiment", v.experiment},
                      {"mode", v.mode},
                      {"device", v.device},
                      {"point", short_point(v.point)},
                      {"cell", index_.at(v.results.front())},
                      {"is_headline", headlines_.contains(&v)},
                      {"best", v.best ? Json(index_.at(v.best)) : Json()},
                      {"bound", v.best ? bound_name(*v.best) : ""},
                      {"ladder", ladder},
                      {"naive", v.naive ? rival(*v.naive) : Json()},
                      {"library", v.library ? rival(*v.library) : Json()},
                      {"others", others},
                      {"not_ok", not_ok}});
    }
    return list;
  }

 private:
  Json rival(const Rival& r) const {
    return {{"cell", index_.at(r.result)},
            {"ratio", {digits(r.ratio.value), digits(r.ratio.interval.low), digits(r.ratio.interval.high)}},
            {"text", times(r.ratio.value)},
            {"interval", precise(r.ratio)},
            {"paired", r.paired}};
  }

  std::vector<ExperimentVerdict> all_;
  std::map<const Result*, std::size_t> index_;
  std::set<const ExperimentVerdict*> headlines_;
};

Json portability_data(const std::vector<ReportCell>& cells) {
  Json all = Json::array();
  for (const Portability& p : portability(cells)) {
    Json devices = Json::array();
    for (const auto& d : p.devices) {
      /// As a number, for charts, and as a text.
      const auto efficiency = [&](const std::optional<double>& value) -> Json {
        return {digits(value), value ? show_efficiency(*value, d, p) : ""};
      };
      devices.push_back({{"device", d.device}, {"of_best", efficiency(d.of_best)}, {"of_peak", efficiency(d.of_peak)}});
    }
    all.push_back({{"experiment", p.experiment},
                   {"mode", p.mode},
                   {"backend", p.backend},
                   {"application", p.application},
                   {"points", p.points},
                   {"devices", devices},
                   {"of_best", show_range(p.of_best)},
                   {"of_peak", show_range(p.of_peak)}});
  }
  return all;
}

}  // namespace

Json page_data(const std::vector<ResultFile>& files) {
  std::vector<ReportCell> all = report_cells(files);
  compare(all);
  Json json;
  json["made_by"] = fmt::format("crosswarp {}, commit {}", version(), commit());
  json["sources"] = sources(files);
  json["findings"] = findings(files);
  json["devices"] = devices(files, all);
  CellTables cells;
  for (const ReportCell& cell : all) cells.add(cell);
  cells.write(json);
  json["verdicts"] = Verdicts(all).data();
  json["portability"] = portability_data(all);
  return json;
}

}  // namespace crosswarp
