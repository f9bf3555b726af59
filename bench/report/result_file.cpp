// The reader of what core/report_json.cpp writes.
#include "bench/report/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "bench/stored_results.hpp"
#include "core/error.hpp"
#include "core/json_fields.hpp"
#include "core/names.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

Row row(const Json& json) {
  Row row;
  row.name = json.at("name");
  row.backend = json.at("backend");
  row.experiment = json.at("experiment");
  row.mode = json.at("mode");
  if (json.value("launch_by", "stream") == "graph") row.mode += by_graph;
  const std::string variant = json.at("variant"), stem = row.backend + "/" + row.experiment + "/" + variant;
  // What a name has beyond the variant is a tuning that is not the default; behind it come the point and the mode.
  if (!row.name.starts_with(stem) || !row.name.ends_with("/" + row.mode)) throw Error(row.name + ": no name of a cell");
  row.rung = row.name.substr(0, row.name.find('/', stem.size()));
  const std::size_t from = row.rung.size() + 1, to = row.name.size() - row.mode.size() - 1;
  if (from < to) row.point = row.name.substr(from, to - from);
  row.axes = json.at("axes");
  row.idea = json.at("idea");
  row.bound_by = json.value("bound_by", "");
  if (json.at("device").is_string()) row.device = json.at("device");
  row.status = json.at("status");
  row.label = json.at("label");
  row.note = json.at("note");
  row.library = json.at("library");
  row.repetition = json.at("repetition_index");
  row.time = read_seconds(json.at("real_time"));
  row.rate_of = quantity(json.value("rate_of", "bytes"));  // files of version 0.0 have bytes only
  row.rate = read_number(json.at(json.contains("rate") ? "rate" : "bytes_per_second"));
  row.of_peak = read_number(json.at("of_measured_peak"));
  row.floor = read_seconds(json.at("floor_ns"));
  row.over_parent = read_ratio(json.at("over_parent"));
  row.over_library = read_ratio(json.at("over_library"));
  row.over_other = read_ratio(json.at("over_other"));
  if (row.status == to_string(Status::ok)) row.seconds = read_placements(json);
  for (const char* fact : {"registers", "shared_bytes", "occupancy", "blocks", "threads_per_block"})
    if (const auto value = read_number(json.at(fact))) row.kernel[fact] = *value;
  if (json.contains("observed")) row.observed = json.at("observed").get<std::map<std::string, double>>();
  row.accuracy = read_accuracy(json);
  const auto counters = json.find("counters");
  if (counters != json.end())
    for (const auto& [name, value] : counters->items())
      if (const auto count = read_number(value)) row.counters[name] = *count;
  row.all = json;
  for (const char* samples : {"sample_times", "samples_by_placement"}) row.all.erase(samples);
  return row;
}

/// What follows from rows of one experiment, by what this program knows of it; nothing where it had other axes then.
std::vector<Finding> conclude(const std::vector<const Row*>& rows, const ExperimentEntry& experiment) try {
  std::vector<Outcome> outcomes;
  for (const Row* row : rows) {
    const Point point = read_point(row->axes, experiment);
    outcomes.push_back({row->rung, point, *row->time, experiment.cost(point), row->observed});
  }
  return experiment.findings(outcomes);
} catch (const Json::out_of_range&) {
  return {};
}

/// Of all rows, and, of experiments that this program does not know, what the file has.
std::vector<Conclusion> findings(const std::vector<Row>& rows, const Json& as_written) {
  const auto& known = Registry::instance().experiments();
  using Series = std::tuple<std::string, std::string, std::string>;  // experiment, mode, device
  std::map<Series, std::vector<const Row*>> series;
  for (const Row& row : rows)
    if (row.ok() && row.time && row.repetition == 0) series[{row.experiment, row.mode, row.device}].push_back(&row);
  std::vector<Conclusion> all;
  for (const auto& [of, its_rows] : series) {
    const auto& [experiment, mode, device] = of;
    if (!known.contains(experiment)) continue;
    if (auto found = conclude(its_rows, known.at(experiment)); !found.empty())
      all.push_back({experiment, mode, device, std::move(found)});
  }
  for (const Json& f : as_written)
    if (!known.contains(f.at("experiment"))) {
      all.push_back({f.at("experiment"), f.at("mode"), f.at("device"), {}});
      for (const Json& line : f.at("lines")) all.back().findings.push_back(sentence(line));
    }
  return all;
}

/// Throws Error for the first of `wanted`, of the option `flag`, that is not among `known`.
void require(const char* flag, const std::vector<std::string>& wanted, const std::set<std::string>& known) {
  for (const std::string& name : wanted)
    if (!known.contains(name))
      throw Error(fmt::format("{} {}: {}", flag, name, did_you_mean(name, {known.begin(), known.end()})));
}

bool among(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string ResultFile::name() const { return path.substr(path.find_last_of('/') + 1); }

std::string ResultFile::said(const std::string& key) const {
  const auto found = context.find(key);
  return found == context.end() ? "unknown" : found->second;
}

ResultFile read_results(const std::string& path) {
  StoredResults stored = read_stored(path);
  try {
    ResultFile results{path, std::move(stored.context), {}, {}};
    for (const Json& result : stored.rows) results.rows.push_back(row(result));
    results.findings = findings(results.rows, stored.findings);
    return results;
  } catch (const std::exception& why) {
    throw Error(fmt::format("{}: not a result file of bench --json ({})", path, why.what()));
  }
}

std::vector<ResultFile> read_results(const std::vector<std::string>& paths, const Selection& selection) {
  std::vector<ResultFile> files;
  std::set<std::string> experiments, backends;
  for (const std::string& path : paths) {
    files.push_back(read_results(path));
    for (const Row& row : files.back().rows) {
      experiments.insert(row.experiment);
      backends.insert(row.backend);
    }
  }
  require("--experiment", selection.experiments, experiments);
  require("--backend", selection.backends, backends);
  for (ResultFile& file : files) {
    std::erase_if(file.rows, [&](const Row& row) {
      return !among(selection.experiments, row.experiment) || !among(selection.backends, row.backend);
    });
    std::erase_if(file.findings, [&](const Conclusion& c) { return !among(selection.experiments, c.experiment); });
  }
  return files;
}

std::vector<Row> merge_repetitions(const std::vector<Row>& rows) {
  std::vector<Row> merged;
  std::map<std::string, std::size_t> places;
  for (const Row& row : rows) {
    const auto [place, is_new] = places.try_emplace(row.name, merged.size());
    if (is_new) {
      merged.push_back(row);
    } else if (Row& cell = merged[place->second]; cell.ok() && row.ok()) {
      cell.seconds.insert(cell.seconds.end(), row.seconds.begin(), row.seconds.end());
    } else if (cell.ok()) {
      cell = row;
    }
  }
  return merged;
}

}  // namespace crosswarp
