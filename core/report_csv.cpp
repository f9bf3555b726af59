// One flat line for each result: the fields that go into a CSV, then counters and errors.
#include <fmt/format.h>

#include "core/report.hpp"

namespace crosswarp {
namespace {

/// Quoted where it must be (RFC 4180).
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string all = "\"";
  for (const char c : text) all += c == '"' ? std::string("\"\"") : std::string(1, c);
  return all + "\"";
}

/// Empty for null; of a ratio without its interval.
std::string csv_value(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_object()) return csv_value(value.at("value"));
  if (value.is_string()) return quoted(value.get<std::string>());
  return value.is_number_float() ? fmt::format("{:.6g}", value.get<double>()) : value.dump();
}

std::string csv_line(const std::vector<std::string>& values) {
  std::string line;
  for (const std::string& value : values) line += (&value == &values.front() ? "" : ",") + value;
  return line + "\n";
}

}  // namespace

CsvFile::CsvFile(const std::string& path, std::vector<const Counter*> counters, bool accuracy, bool ranks)
    : counters_(std::move(counters)),
      accuracy_(accuracy),
      columns_(Field::csv | (ranks ? Field::ranks : 0u)),
      file_(OutputFile("--csv", path)) {
  std::vector<std::string> head;
  for (const Field& field : fields())
    if (field.is_in(columns_)) head.emplace_back(field.name);
  for (const Counter* counter : counters_) head.emplace_back(counter->name);
  if (accuracy_)
    for (const Distribution distribution : distributions)
      for (const auto& [name, error] : error_fields)
        head.push_back(fmt::format("{}_{}", to_string(distribution), name));
  file_.append(csv_line(head));
  file_.publish();
}

void CsvFile::add(const Result& r) {
  std::vector<std::string> line;
  for (const Field& field : fields())
    if (field.is_in(columns_)) line.push_back(csv_value(field.get(r)));
  const auto add = [&](std::optional<double> value) { line.push_back(value ? fmt::format("{:.6g}", *value) : ""); };
  for (const Counter* counter : counters_) add(r.counters ? (*r.counters)[counter->name] : std::nullopt);
  if (accuracy_)
    for (const Distribution distribution : distributions) {
      const ErrorSummary* const errors = r.accuracy ? r.accuracy->find(distribution) : nullptr;
      for (const auto& [name, error] : error_fields) add(errors ? std::optional(errors->*error) : std::nullopt);
    }
  file_.append(csv_line(line));
}

}  // namespace crosswarp
