// Google Benchmark's JSON, with exact names, every sample, and null where there is no number.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/bound.hpp"
#include "core/report.hpp"

namespace crosswarp {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

/// 0 stands for unknown in device facts.
Json known(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json ratio(const std::optional<Ratio>& r) {
  if (!r) return nullptr;
  return {{"value", r->value}, {"low", r->interval.low}, {"high", r->interval.high}};
}

/// Adds what was counted, and why the rest was not.
void add_counters(Json& json, const Counters& counters) {
  json["counters"] = Json::object();
  Json why = Json::object();
  for (const Count& count : counters.counts) {
    json["counters"][std::string(count.counter->name)] = number_or_null(count.value);
    if (!count.value) why[std::string(count.counter->name)] = count.why_not;
  }
  if (!counters.why_not.empty()) why["all"] = counters.why_not;
  json["counters_why_not"] = why;
  json["kernels"] = Json::array();
  for (const KernelRun& kernel : counters.kernels)
    json["kernels"].push_back({{"name", kernel.name},
                               {"registers", kernel.use.registers},
                               {"shared_bytes", kernel.use.shared_bytes},
                               {"grid", kernel.grid},
                               {"block", kernel.block},
                               {"occupancy", known(kernel.use.occupancy)},
                               {"limited_by", kernel.limited_by}});
}

/// Adds errors by distribution and field; null where no number came out.
void add_accuracy(Json& json, const Accuracy& accuracy) {
  json["accuracy"] = Json::object();
  for (const ErrorSummary& errors : accuracy.on) {
    Json& on = json["accuracy"][to_string(errors.distribution)];
    on["outputs"] = errors.outputs;
    for (const auto& [name, value] : error_fields) on[name] = errors.*value;
  }
  if (!accuracy.why_not.empty()) json["accuracy_why_not"] = accuracy.why_not;
}

/// A hundredth of a nanosecond is far below any timer's resolution, and keeps files with every sample small.
double nanoseconds(double seconds) { return std::round(seconds * 1e11) / 1e2; }

}  // namespace

std::string json_line(const Result& r) {
  const bool ok = r.status == Status::ok;
  const Measurement& m = r.measurement;
  const std::vector<double> samples = flatten(m.seconds);
  Json json;
  json["name"] = r.name();
  json["run_name"] = r.name();
  json["run_type"] = "iteration";
  json["repetition_index"] = r.repetition;
  json["threads"] = 1;
  json["iterations"] = samples.size() * m.launches;
  json["real_time"] = r.time() ? Json(nanoseconds(*r.time())) : Json(nullptr);
  json["cpu_time"] = ok ? Json(nanoseconds(m.cpu_seconds)) : Json(nullptr);
  json["time_unit"] = "ns";
  json["label"] = r.label();
  if (!ok) {
    json["error_occurred"] = true;
    json["error_message"] = r.label();
  }
  json["status"] = to_string(r.status);
  json["note"] = r.note;
  json["backend"] = r.cell.variant->backend;
  json["experiment"] = r.cell.experiment->name;
  json["variant"] = r.cell.variant->name;
  json["tuning"] = r.cell.tuning->name();
  for (const auto& c : r.cell.point.coordinates())
    if (const auto* i = std::get_if<std::int64_t>(&c.value)) {
      json["axes"][c.axis] = *i;
    } else {
      json["axes"][c.axis] = std::get<std::string>(c.value);
    }
  json["mode"] = to_string(r.mode);
  json["launch_by"] = to_string(r.launch_by);
  json["idea"] = r.cell.variant->idea;
  json["bound_by"] = r.cell.variant->bound_by;
  json["improves"] = r.cell.variant->improves.empty() ? Json(nullptr) : Json(r.cell.variant->improves);
  json["library"] = r.cell.variant->library;
  if (const std::string& module = r.cell.variant->module; !module.empty()) json["module"] = module;
  json["device"] = r.device.name.empty() ? Json(nullptr) : Json(r.device.name);
  json["verdict_error"] = r.verdict.error;
  const bool judged = r.status != Status::skipped && r.status != Status::failed;
  json["verdict_bound"] = judged ? Json(r.verdict.bound) : Json(nullptr);
  json["bytes_per_second"] = number_or_null(r.bytes_per_second());
  json["flops_per_second"] = number_or_null(r.flops_per_second());
  json["rate_of"] = to_string(r.cost.rated);
  json["rate"] = number_or_null(r.rate());
  json["ceiling"] = r.cost.ceiling.empty() ? Json(nullptr) : Json(r.cost.ceiling);
  json["of_measured_peak"] = number_or_null(r.of_measured_peak());
  json["of_theoretical_peak"] = number_or_null(r.of_theoretical_peak());
  json["measured_peak"] = known(r.measured_peak);
  json["theoretical_peak"] = known(r.device.peak(r.cost.ceiling));
  json["floor_ns"] = ok ? Json(nanoseconds(r.floor)) : Json(nullptr);
  json["launches_per_sample"] = m.launches;
  json["samples"] = samples.size();
  json["median"] = r.time() ? Json(nanoseconds(median(samples))) : Json(nullptr);
  json["spread"] = ok && samples.size() > 1 ? Json(spread(samples)) : Json(nullptr);
  json["stopped"] = m.stopped;
  json["sm_clock_mhz"] = known(m.after.clock / 1e6);
  json["sm_clock_mhz_before"] = known(m.before.clock / 1e6);
  json["throttle"] = m.after.throttle;
  json["registers"] = known(r.kernel.registers);
  json["shared_bytes"] = r.kernel.registers ? Json(r.kernel.shared_bytes) : Json(nullptr);
  json["occupancy"] = known(r.kernel.occupancy);
  json["blocks"] = known(static_cast<double>(r.kernel.blocks));
  json["blocks_with_work"] = known(static_cast<double>(r.kernel.useful_blocks));
  json["threads_per_block"] = known(static_cast<double>(r.kernel.threads));
  json["pdl"] = r.kernel.pdl;
  const auto bound = bound_in_words(r);
  json["bound"] = bound ? Json(bound->words) : Json(nullptr);
  json["most_gain"] = bound ? number_or_null(bound->gain) : Json(nullptr);
  json["proof"] = r.proof.empty() ? Json(nullptr) : Json(r.proof);
  json["observed"] = Json::object();
  json["observed_units"] = Json::object();
  for (const Observation& o : r.observed) {
    json["observed"][o.name] = o.value;
    json["observed_units"][o.name] = o.unit;
  }
  if (r.counters) add_counters(json, *r.counters);
  if (r.accuracy) add_accuracy(json, *r.accuracy);
  json["over_parent"] = ratio(r.parent);
  json["over_library"] = ratio(r.library);
  json["over_other"] = ratio(r.other);
  json["other"] = r.other_rung.empty() ? Json(nullptr) : Json(r.other_rung);
  json["sample_times"] = Json::array();
  for (const double s : samples) json["sample_times"].push_back(nanoseconds(s));
  json["samples_by_placement"] = Json::array();
  for (const auto& placement : m.seconds) json["samples_by_placement"].push_back(placement.size());
  // A message may hold bytes that are no text; a file may not.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

JsonFile::JsonFile(const std::string& path, Existing existing)
    : file_("--json", path, existing),  // whether it can be written is better found out now than after the run
      journal_(OutputFile("--json", file_.path() + ".journal", existing)) {}

void JsonFile::begin(Context context, const std::vector<JsonRow>& earlier) {
  context_ = std::move(context);
  journal_.append(Json{{"context", context_}}.dump() + "\n");
  for (const JsonRow& row : earlier) add(row);
  journal_.publish();  // what an earlier journal holds is in the new one
}

void JsonFile::add(const JsonRow& row) {
  const auto [place, is_new] = places_.try_emplace({row.name, row.repetition}, lines_.size());
  if (is_new) lines_.emplace_back();
  lines_[place->second] = row.line;
  journal_.append(row.line + "\n");
}

void JsonFile::add(const Result& result) { add({result.name(), result.repetition, json_line(result)}); }

void JsonFile::finish() {
  // One line for each result: readable in a diff, and the samples do not fill the screen.
  std::string text = "{\n\"context\": " + Json(context_).dump(1) + ",\n\"benchmarks\": [\n";
  for (std::size_t i = 0; i < lines_.size(); ++i) text += lines_[i] + (i + 1 < lines_.size() ? ",\n" : "\n");
  Json findings = Json::array();
  for (const Conclusion& c : findings_) {
    Json lines = Json::array();
    for (const Finding& finding : c.findings) lines.push_back(to_string(finding));
    findings.push_back({{"experiment", c.experiment}, {"mode", c.mode}, {"device", c.device}, {"lines", lines}});
  }
  text += "],\n\"findings\": " + findings.dump(1) + "\n}\n";
  file_.write(text);
}

}  // namespace crosswarp
