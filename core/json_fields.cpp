// The counterpart of core/report_json.cpp: a result from its line.
#include "core/json_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "core/report.hpp"

namespace crosswarp {
namespace {

using Json = nlohmann::ordered_json;

constexpr double nanosecond = 1e-9;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

template <class Enum>
Enum named(const std::string& name, std::initializer_list<Enum> all) {
  for (const Enum value : all)
    if (to_string(value) == name) return value;
  throw Error(fmt::format("'{}' means nothing here", name));
}

Cell read_cell(const Json& json, const Registry& registry) {
  const std::string backend = json.at("backend"), experiment = json.at("experiment"), tuning = json.at("tuning");
  const auto variant =
      registry.variants().find(backend + "/" + experiment + "/" + json.at("variant").get<std::string>());
  if (variant == registry.variants().end()) throw Error(fmt::format("{} is not in this build", json.at("name").dump()));
  const std::vector<Tuning>& tunings = variant->second.tunings;
  const auto tuned = std::find_if(tunings.begin(), tunings.end(), [&](const Tuning& t) { return t.name() == tuning; });
  if (tuned == tunings.end()) throw Error(fmt::format("{} is not in this build", json.at("name").dump()));
  const ExperimentEntry& what = registry.experiments().at(experiment);
  return {&registry.backend(backend), &what, &variant->second, &*tuned, read_point(json.at("axes"), what)};
}

Counters read_counters(const Json& json) {
  Counters counters;
  const Json& why = json.at("counters_why_not");
  const auto reason = [&](const std::string& name) { return why.value(name, std::string()); };
  for (const auto& [name, value] : json.at("counters").items())
    for (const Counter& counter : all_counters())
      if (counter.name == name) counters.counts.push_back({&counter, read_number(value), reason(name)});
  counters.why_not = reason("all");
  for (const Json& kernel : json.at("kernels")) {
    KernelRun run;
    run.name = kernel.at("name");
    run.use.registers = kernel.at("registers");
    run.use.shared_bytes = kernel.at("shared_bytes");
    run.use.occupancy = read_number(kernel.at("occupancy")).value_or(0);
    run.grid = kernel.at("grid");
    run.block = kernel.at("block");
    run.limited_by = kernel.at("limited_by");
    counters.kernels.push_back(run);
  }
  return counters;
}

constexpr int deepest = 64;

template <class Text>
Json parse_shallow(Text& text) {
  return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest) throw Error(fmt::format("nested deeper than {} levels", deepest));
    return true;
  });
}

}  // namespace

Json parse_json(std::istream& text) { return parse_shallow(text); }
Json parse_json(const std::string& text) { return parse_shallow(text); }

std::optional<Accuracy> read_accuracy(const Json& result) {
  const auto found = result.find("accuracy");
  if (found == result.end()) return {};
  Accuracy accuracy{.on = {}, .why_not = result.value("accuracy_why_not", std::string())};
  for (const Distribution distribution : distributions) {
    const auto on = found->find(to_string(distribution));
    if (on == found->end()) continue;
    ErrorSummary errors;
    errors.distribution = distribution;
    errors.outputs = on->at("outputs");
    for (const auto& [name, value] : error_fields)
      errors.*value = read_number(on->at(name)).value_or(std::numeric_limits<double>::infinity());
    accuracy.on.push_back(errors);
  }
  return accuracy;
}

void rename_to_current(Json& result, const Registry& registry) {
  const std::string room =
      result.at("backend").get<std::string>() + "/" + result.at("experiment").get<std::string>() + "/";
  const auto rename = [&](const char* field, const std::string& before) {
    if (const auto name = result.find(field); name != result.end() && name->is_string())
      *name = registry.current_name(before + name->get<std::string>()).substr(before.size());
  };
  for (const char* id : {"name", "run_name", "other"}) rename(id, "");
  for (const char* variant : {"variant", "improves"}) rename(variant, room);
}

Point read_point(const Json& axes, const ExperimentEntry& experiment) {
  std::vector<std::vector<Value>> values;
  for (const Axis& axis : experiment.axes) {
    const Json& value = axes.at(axis.name);
    values.push_back({value.is_string() ? Value(value.get<std::string>()) : Value(value.get<std::int64_t>())});
  }
  return product(experiment.axes, values).front();
}

std::optional<double> read_number(const Json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::optional<double> read_seconds(const Json& nanoseconds) {
  const auto value = read_number(nanoseconds);
  return value ? std::optional(*value * nanosecond) : std::nullopt;
}

std::optional<Ratio> read_ratio(const Json& value) {
  if (!value.is_object() || !value.at("value").is_number()) return {};
  return Ratio{value.at("value").get<double>(),
               {read_number(value.at("low")).value_or(unknown), read_number(value.at("high")).value_or(unknown)}};
}

Placements read_placements(const Json& result) {
  const auto samples = result.at("sample_times").get<std::vector<double>>();
  const auto sizes = result.at("samples_by_placement").get<std::vector<std::size_t>>();
  if (std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}) != samples.size())
    throw Error("samples_by_placement does not add up to the samples");
  Placements all;
  std::size_t next = 0;
  for (const std::size_t size : sizes) {
    all.emplace_back();
    for (std::size_t i = 0; i < size; ++i) all.back().push_back(samples[next++] * nanosecond);
  }
  return all;
}

Result read_json_line(const std::string& line, const Registry& registry) {
  try {
    const Json json = parse_json(line);
    const auto known = [&](const char* name) { return read_number(json.at(name)).value_or(0); };
    const auto text = [&](const char* name) {
      return json.at(name).is_string() ? json.at(name).get<std::string>() : "";
    };
    Result r;
    r.cell = read_cell(json, registry);
    r.mode = named<Mode>(json.at("mode"), {Mode::cold, Mode::hot, Mode::single});
    r.launch_by = named<LaunchBy>(json.value("launch_by", to_string(LaunchBy::stream)),  // which older files lack
                                  {LaunchBy::stream, LaunchBy::graph});
    r.repetition = json.at("repetition_index");
    r.status = named<Status>(json.at("status"),
                             {Status::ok, Status::wrong, Status::skipped, Status::failed, Status::implausible});
    r.note = json.at("note");
    r.device.name = text("device");
    r.verdict.ok = r.status == Status::ok;
    r.verdict.error = read_number(json.at("verdict_error")).value_or(unknown);
    r.verdict.bound = known("verdict_bound");
    if (r.cell.variant->not_expressible.empty()) r.cost = r.cell.experiment->cost(r.cell.point);
    r.measurement.seconds = read_placements(json);
    r.measurement.launches = json.at("launches_per_sample");
    r.measurement.stopped = json.at("stopped");
    r.measurement.cpu_seconds = read_seconds(json.at("cpu_time")).value_or(0);
    r.measurement.before.clock = known("sm_clock_mhz_before") * 1e6;
    r.measurement.after = {known("sm_clock_mhz") * 1e6, json.at("throttle")};
    r.kernel.registers = static_cast<int>(known("registers"));
    r.kernel.shared_bytes = static_cast<std::size_t>(known("shared_bytes"));
    r.kernel.occupancy = known("occupancy");
    r.kernel.blocks = static_cast<std::size_t>(known("blocks"));
    r.kernel.useful_blocks = static_cast<std::size_t>(known("blocks_with_work"));
    r.kernel.threads = static_cast<std::size_t>(known("threads_per_block"));
    r.kernel.pdl = json.value("pdl", false);
    r.measured_peak = known("measured_peak");
    r.floor = read_seconds(json.at("floor_ns")).value_or(0);
    if (json.contains("counters")) r.counters = read_counters(json);
    r.accuracy = read_accuracy(json);
    for (const auto& [name, value] : json.at("observed").items())
      r.observed.push_back({name, json.at("observed_units").at(name), read_number(value).value_or(unknown)});
    r.proof = text("proof");
    r.parent = read_ratio(json.at("over_parent"));
    r.library = read_ratio(json.at("over_library"));
    r.other = read_ratio(json.at("over_other"));
    r.other_rung = text("other");
    return r;
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("not a result of this program ({})", error.what()));
  }
}

}  // namespace crosswarp
