// JSON from files, and fields of a result's JSON, back to what they were written from.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/experiment.hpp"
#include "core/registry.hpp"
#include "core/statistics.hpp"

namespace crosswarp {

/// JSON of at most 64 levels: destroying or printing a deeper one would overflow the stack. Throws nlohmann's exception
/// or Error.
nlohmann::ordered_json parse_json(std::istream& text);
nlohmann::ordered_json parse_json(const std::string& text);

/// Replaces former ids of variants in a result, so that files stay readable when a variant is renamed.
void rename_to_current(nlohmann::ordered_json& result, const Registry& registry = Registry::instance());

/// Throws nlohmann's exception where `axes` lacks one of the experiment's.
Point read_point(const nlohmann::ordered_json& axes, const ExperimentEntry& experiment);
/// None for null.
std::optional<double> read_number(const nlohmann::ordered_json& value);
/// None for null; in seconds.
std::optional<double> read_seconds(const nlohmann::ordered_json& nanoseconds);
/// None for null. Where the interval is unknown, its ends are NaN.
std::optional<Ratio> read_ratio(const nlohmann::ordered_json& value);
/// None where a result has none. Errors that are null are infinite.
std::optional<Accuracy> read_accuracy(const nlohmann::ordered_json& result);
/// The samples, which lie in a result one placement after the other. Throws Error where they do not add up.
Placements read_placements(const nlohmann::ordered_json& result);

}  // namespace crosswarp
