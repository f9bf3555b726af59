// Cells from entries: what the file says of a variant, and what this build knows of it.
#include "bench/recorded_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/error.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

std::string text(const Json& entry, const char* field) {
  const Json& value = entry.at(field);
  return value.is_null() ? "" : value.get<std::string>();
}

/// The tuning of that name: what stands before its last number, and that number.
Tuning read_tuning(const std::string& name) {
  if (name.empty()) return {};
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const auto digits =
      static_cast<std::size_t>(std::find_if_not(name.rbegin(), name.rend(), is_digit).base() - name.begin());
  Tuning tuning;
  if (name.size() - digits < 10 && digits < name.size())
    tuning.values.emplace_back(name.substr(0, digits), std::stoi(name.substr(digits)));
  if (tuning.name() != name) throw Error(fmt::format("{} is no tuning", name));
  return tuning;
}

/// Of an entry's axes. What its name leaves out goes without saying.
Point read_point(const Json& axes, const std::string& name) {
  Point point;
  for (const auto& [axis, json] : axes.items()) {
    const Value value = json.is_string() ? Value(json.get<std::string>()) : Value(json.get<std::int64_t>());
    point.set(axis, value, name.find(fmt::format("/{}:{}/", axis, to_string(value))) == name.npos);
  }
  return point;
}

void take_texts(VariantEntry& variant, const VariantEntry& known) {
  if (variant.idea.empty()) variant.idea = known.idea;
  if (variant.bound_by.empty()) variant.bound_by = known.bound_by;
}

/// What this build knows of the variant, in the place of what was declared when it ran. Of a file of the reference
/// backend that was compiled for another one, it knows the texts.
void declare_as_now(VariantEntry& variant) {
  const auto& registered = Registry::instance().variants();
  if (const auto known = registered.find(variant.id()); known != registered.end()) {
    variant.source = known->second.source;
    variant.not_expressible = known->second.not_expressible;
    variant.counterparts = known->second.counterparts;
    variant.gaps = known->second.gaps;
    take_texts(variant, known->second);
  } else if (variant.counterparts == std::vector{variant.name}) {
    const auto same = registered.find(fmt::format("{}/{}/{}", reference_backend, variant.experiment, variant.name));
    if (same != registered.end()) take_texts(variant, same->second);
  }
}

}  // namespace

Cell RecordedCells::find(const Json& entry) {
  const std::string rung = entry.at("rung"), tuning = text(entry, "tuning");
  VariantEntry variant;
  variant.backend = entry.at("backend");
  variant.experiment = entry.at("experiment");
  variant.name = entry.at("variant");
  variant.idea = entry.contains("idea") ? text(entry, "idea") : "";
  variant.bound_by = entry.contains("bound_by") ? text(entry, "bound_by") : "";
  variant.improves = text(entry, "improves");
  variant.library = entry.at("library");
  variant.escape_hatch = entry.contains("escape_hatch") ? text(entry, "escape_hatch") : "";
  variant.module = entry.contains("module") ? text(entry, "module") : "";
  variant.counterparts = entry.value("counterparts", std::vector<std::string>());
  declare_as_now(variant);
  variant.tunings.resize(1);  // the default, which the file need not have
  VariantEntry& known = variants_.try_emplace(variant.id(), std::move(variant)).first->second;
  ExperimentEntry& experiment = experiments_[known.experiment];
  experiment.name = known.experiment;
  const auto& experiments = Registry::instance().experiments();
  if (const auto same = experiments.find(known.experiment); same != experiments.end())
    experiment.ranks = same->second.ranks;
  Tuning* own = &known.tunings.front();
  if (rung != known.id()) own = &tunings_[rung];
  *own = read_tuning(tuning);
  return {nullptr, &experiment, &known, own, read_point(entry.at("axes"), entry.at("name"))};
}

}  // namespace crosswarp
