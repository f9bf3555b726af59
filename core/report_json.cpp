// Google Benchmark's JSON, with exact names, every sample, and null where there is no number.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/report.hpp"

namespace crosswarp {
namespace {

/// The cell of an entry. Throws Error where `registry` lacks it.
Cell find_cell(const Json& entry, const Registry& registry) {
  const std::string backend = entry.at("backend"), experiment = entry.at("experiment"), variant = entry.at("variant"),
                    tuning = entry.at("tuning").is_null() ? "" : entry.at("tuning").get<std::string>();
  const Error missing(fmt::format("{} is not in this build", entry.at("name").dump()));
  const auto known = registry.variants().find(fmt::format("{}/{}/{}", backend, experiment, variant));
  if (known == registry.variants().end()) throw missing;
  const auto tuned = std::ranges::find(known->second.tunings, tuning, &Tuning::name);
  if (tuned == known->second.tunings.end()) throw missing;
  const ExperimentEntry& what = registry.experiments().at(experiment);
  std::vector<std::vector<Value>> values;
  for (const Axis& axis : what.axes) {
    const Json& value = entry.at("axes").at(axis.name);
    values.push_back({value.is_string() ? Value(value.get<std::string>()) : Value(value.get<std::int64_t>())});
  }
  return {&registry.backend(backend), &what, &known->second, &*tuned, product(what.axes, values).front()};
}

Json to_json(const Finding::Values& values) {
  Json json = Json::object();
  for (const Finding::Value& value : values)
    if (const auto* word = std::get_if<std::string>(&value.value))
      json[value.name] = *word;
    else
      json[value.name] = {{"value", std::get<double>(value.value)}, {"unit", value.unit}};
  return json;
}

Finding::Values read_values(const Json& json) {
  Finding::Values values;
  for (const auto& [name, value] : json.items())
    if (value.is_string())
      values.emplace_back(name, value.get<std::string>());
    else
      values.emplace_back(name, value.at("value").get<double>(), value.at("unit").get<std::string>());
  return values;
}

Json to_json(const Finding& finding) {
  Json json{{"kind", finding.kind}, {"text", finding.text}, {"values", to_json(finding.values)}};
  if (finding.series.empty()) return json;
  json["each"] = finding.each;
  for (const Finding::Values& values : finding.series) json["series"].push_back(to_json(values));
  return json;
}

Finding read_finding(const Json& json) {
  Finding finding{json.at("kind"), json.at("text"), read_values(json.at("values"))};
  finding.each = json.value("each", "");
  for (const Json& values : json.value("series", Json::array())) finding.series.push_back(read_values(values));
  return finding;
}

}  // namespace

Json to_json(const Conclusion& conclusion) {
  Json findings = Json::array();
  for (const Finding& finding : conclusion.findings) findings.push_back(to_json(finding));
  return {{"experiment", conclusion.experiment},
          {"mode", conclusion.mode},
          {"device", conclusion.device},
          {"findings", findings}};
}

Conclusion read_conclusion(const Json& json) {
  Conclusion conclusion{json.at("experiment"), json.at("mode"), json.at("device"), {}};
  for (const Json& finding : json.at("findings")) conclusion.findings.push_back(read_finding(finding));
  return conclusion;
}

// A message may hold bytes that are no text; a file may not.
std::string json_line(const Result& result) {
  return to_json(result).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result read_json_line(const std::string& line, const Registry& registry) {
  try {
    const Json entry = parse_json(line);
    return from_json(entry, find_cell(entry, registry));
  } catch (const Json::exception& error) {
    throw Error(fmt::format("not a result of this program ({})", plain(error)));
  }
}

JsonFile::JsonFile(const std::string& path, Existing existing, const std::string& option)
    : file_(option, path, existing),  // whether it can be written is better found out now than after the run
      journal_(OutputFile(option, file_.path() + ".journal", existing)) {}

void JsonFile::begin(Context context, const std::vector<JsonRow>& earlier) {
  context_ = std::move(context);
  journal_.append(Json{{"context", context_}}.dump() + "\n");
  for (const JsonRow& row : earlier) add(row);
  journal_.publish();  // it holds all that an earlier journal held
}

void JsonFile::add(const JsonRow& row) {
  const auto [at, is_new] = index_.try_emplace({row.name, row.repetition}, lines_.size());
  if (is_new) lines_.emplace_back();
  lines_[at->second] = row.line;
  journal_.append(row.line + "\n");
}

void JsonFile::add(const Result& result) { add({result.name(), result.repetition, json_line(result)}); }

void JsonFile::finish() {
  // One line for each result: readable in a diff, and the samples do not fill the screen.
  std::string rows, findings;
  for (const std::string& line : lines_) rows += (rows.empty() ? "" : ",\n") + line;
  for (const Conclusion& conclusion : conclusions_)
    findings += (findings.empty() ? "\n" : ",\n") + to_json(conclusion).dump(1);
  file_.write(json_text(context_, rows, findings));
}

std::string json_text(const Context& context, const std::string& rows, const std::string& findings) {
  return "{\n\"context\": " + Json(context).dump(1) + ",\n\"benchmarks\": [\n" + rows + "\n],\n\"findings\": [" +
         findings + "\n]\n}\n";
}

void JsonFile::discard() { unlink((file_.path() + ".journal").c_str()); }

}  // namespace crosswarp
