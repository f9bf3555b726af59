// One flat line for each result.
#include <fmt/format.h>

#include "core/bound.hpp"
#include "core/report.hpp"

namespace crosswarp {
namespace {

/// Quoted where it must be (RFC 4180).
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string number(std::optional<double> value) { return value ? fmt::format("{:.6g}", *value) : ""; }

std::string value(const std::optional<Ratio>& ratio) { return ratio ? number(ratio->value) : ""; }

}  // namespace

CsvFile::CsvFile(const std::string& path, std::vector<const Counter*> counters, bool accuracy)
    : counters_(std::move(counters)), accuracy_(accuracy), file_(OutputFile("--csv", path)) {
  std::string head =
      "name,launch_by,device,repetition,status,time_s,floor_s,spread,samples,launches_per_sample,bytes_per_second,"
      "flops_per_second,of_measured_peak,of_theoretical_peak,over_parent,over_library,over_other,other,registers,"
      "occupancy,bound,idea,bound_by,";
  for (const Counter* counter : counters_) head += fmt::format("{},", counter->name);
  if (accuracy_)
    for (const Distribution distribution : distributions)
      for (const auto& [name, value] : error_fields) head += fmt::format("{}_{},", to_string(distribution), name);
  file_.append(head + "label\n");
  file_.publish();
}

void CsvFile::add(const Result& r) {
  const std::vector<double> samples = flatten(r.measurement.seconds);
  const auto when_ok = [&](double v) { return r.time() ? std::optional(v) : std::nullopt; };
  std::string line = fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},", field(r.name()), to_string(r.launch_by),
      field(r.device.name), r.repetition, to_string(r.status), number(r.time()), number(when_ok(r.floor)),
      number(samples.size() > 1 ? when_ok(spread(samples)) : std::nullopt), samples.size(), r.measurement.launches,
      number(r.bytes_per_second()), number(r.flops_per_second()), number(r.of_measured_peak()),
      number(r.of_theoretical_peak()), value(r.parent), value(r.library), value(r.other), field(r.other_rung),
      r.kernel.registers ? std::to_string(r.kernel.registers) : "",
      r.kernel.registers ? number(r.kernel.occupancy) : "", field(bound_in_words(r).value_or(BoundInWords{}).words),
      field(r.cell.variant->idea), field(r.cell.variant->bound_by));
  for (const Counter* counter : counters_)
    line += number(r.counters ? (*r.counters)[counter->name] : std::nullopt) + ",";
  if (accuracy_)
    for (const Distribution distribution : distributions) {
      const ErrorSummary* const errors = r.accuracy ? r.accuracy->find(distribution) : nullptr;
      for (const auto& [name, value] : error_fields)
        line += number(errors ? std::optional(errors->*value) : std::nullopt) + ",";
    }
  file_.append(line + field(r.label()) + "\n");
}

}  // namespace crosswarp
