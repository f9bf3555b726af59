// Findings as sentences.
#include "core/finding.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"
#include "core/format.hpp"

namespace crosswarp {
namespace {

const Finding::Value* find(const Finding::Values& values, std::string_view name) {
  for (const Finding::Value& value : values)
    if (value.name == name) return &value;
  return nullptr;
}

std::string with_unit(double number, const std::string& unit) {
  if (unit == "s" || unit == "Hz" || unit.ends_with("/s")) return si(number, unit);
  if (unit == "B") return binary_bytes(number);
  if (unit == "%") return percent(number);
  if (unit == "×") return times(number) + " ×";
  const bool is_whole = number == std::trunc(number) && std::abs(number) < 1e15;
  return (is_whole ? fmt::format("{:.0f}", number) : fmt::format("{:.4g}", number)) + (unit.empty() ? "" : " ") + unit;
}

/// In fmt's format. A text may come from a file, so that only short formats are taken: `.2f`, `+.1f`.
std::string formatted(double number, std::string_view format) {
  constexpr std::size_t longest = 4;
  try {
    if (format.size() <= longest) return fmt::format(fmt::runtime("{:" + std::string(format) + "}"), number);
  } catch (const fmt::format_error&) {
  }
  throw Error(fmt::format("finding: '{}' is no format of a number", format));
}

std::string shown(const Finding::Value& value, std::string_view format) {
  if (const auto* word = std::get_if<std::string>(&value.value)) return *word;
  const double number = std::get<double>(value.value);
  return format.empty() ? with_unit(number, value.unit) : formatted(number, format);
}

/// `text` with what `value` makes of each `{name:format}`.
template <class ValueOf>
std::string fill_in(std::string_view text, ValueOf value) {
  std::string all;
  for (std::size_t open; (open = text.find('{')) != text.npos;) {
    const std::size_t close = text.find('}', open);
    if (close == text.npos) throw Error(fmt::format("finding '{}': no closing brace", text));
    const std::string_view field = text.substr(open + 1, close - open - 1);
    const std::size_t colon = field.find(':');
    all += text.substr(0, open);
    all += value(field.substr(0, colon), colon == field.npos ? std::string_view() : field.substr(colon + 1));
    text.remove_prefix(close + 1);
  }
  return all.append(text);
}

std::string fill_in(std::string_view text, const Finding::Values& values, const std::string& series) {
  return fill_in(text, [&](std::string_view name, std::string_view format) {
    if (name == "series") return series;
    const Finding::Value* value = find(values, name);
    if (!value) throw Error(fmt::format("finding: has no value '{}'", name));
    return shown(*value, format);
  });
}

}  // namespace

std::optional<double> Finding::number(std::string_view name) const {
  const Value* found = find(values, name);
  const double* number = found ? std::get_if<double>(&found->value) : nullptr;
  return number ? std::optional(*number) : std::nullopt;
}

std::string Finding::word(std::string_view name) const {
  const Value* found = find(values, name);
  const std::string* word = found ? std::get_if<std::string>(&found->value) : nullptr;
  return word ? *word : "";
}

Finding sentence(std::string text) { return {"sentence", "{text}", {{"text", std::move(text)}}}; }

std::string to_string(const Finding& finding) {
  std::string series;
  for (const Finding::Values& element : finding.series)
    series += (series.empty() ? "" : ", ") + fill_in(finding.each, element, "");
  return fill_in(finding.text, finding.values, series);
}

}  // namespace crosswarp
