// One JSON array: a line of the table each.
#include "core/tuning_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/output_file.hpp"
#include "core/user_folder.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Json to_json(const TunedPoint& tuned) {
  Json axes = Json::object();
  for (const auto& c : tuned.point.coordinates()) std::visit([&](const auto& value) { axes[c.axis] = value; }, c.value);
  return {{"device", tuned.device},
          {"variant", tuned.variant},
          {"source", tuned.source},
          {"point", axes},
          {"tuning", tuned.tuning},
          {"ns", tuned.seconds * 1e9},
          {"over_default", tuned.over_default}};
}

TunedPoint read_point(const Json& json) {
  TunedPoint tuned{.device = json.at("device"),
                   .variant = json.at("variant"),
                   .source = json.at("source"),
                   .point = {},
                   .tuning = json.at("tuning"),
                   .seconds = json.at("ns").get<double>() * 1e-9,
                   .over_default = json.at("over_default")};
  for (const auto& [axis, value] : json.at("point").items())
    tuned.point.set(axis, value.is_string() ? Value(value.get<std::string>()) : Value(value.get<std::int64_t>()));
  return tuned;
}

bool same_point(const Point& a, const Point& b) { return log_distance(a, b) == 0; }

bool same_cell(const TunedPoint& a, const TunedPoint& b) {
  return a.device == b.device && a.variant == b.variant && same_point(a.point, b.point);
}

}  // namespace

std::string source_of(const VariantEntry& variant) {
  if (variant.module.empty()) return {};
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : content(variant.module)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("module {:016x}", hash);
}

double log_distance(const Point& a, const Point& b) {
  const auto log_of = [](std::int64_t x) { return x > 0 ? std::log2(static_cast<double>(x)) : -1.0; };
  constexpr double apart = std::numeric_limits<double>::infinity();
  const auto &left = a.coordinates(), &right = b.coordinates();
  if (left.size() != right.size()) return apart;
  double squares = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto *x = std::get_if<std::int64_t>(&left[i].value), *y = std::get_if<std::int64_t>(&right[i].value);
    if (left[i].axis != right[i].axis || (left[i].value != right[i].value && (!x || !y))) return apart;
    if (x && y && *x != *y) squares += std::pow(log_of(*x) - log_of(*y), 2);
  }
  return std::sqrt(squares);
}

std::string TuningTable::file_of_user() {
  if (const char* const named = std::getenv("CROSSWARP_TUNINGS")) return named;
  const fs::path state = user_folder("XDG_STATE_HOME", ".local/state");
  return state.empty() ? "" : (state / "tunings.json").string();
}

TuningTable::TuningTable(const std::string& file) {
  std::error_code failed;
  if (file.empty() || !fs::exists(file, failed)) return;
  try {
    const Json json = parse_json(content(file));
    for (const Json& tuned : json) points_.push_back(read_point(tuned));
  } catch (const std::exception& why) {
    points_.clear();
    problem_ = fmt::format("{}: not a table of tunings ({})", file, plain(why));
  }
}

void TuningTable::add(const TunedPoint& tuned) {
  std::erase_if(points_, [&](const TunedPoint& known) {
    return same_cell(known, tuned) ||
           (known.device == tuned.device && known.variant == tuned.variant && known.source != tuned.source);
  });
  points_.push_back(tuned);
}

void TuningTable::write(const std::string& option, const std::string& file) const {
  std::error_code failed;
  if (const fs::path folder = fs::path(file).parent_path(); option.empty() && !folder.empty())
    fs::create_directories(folder, failed);
  TuningTable all(file);
  if (!all.problem().empty()) throw Error(all.problem());  // its points, or whatever it holds, would be lost
  for (const TunedPoint& tuned : points_) all.add(tuned);
  std::string text;
  for (const TunedPoint& tuned : all.points_)
    text += (text.empty() ? "[\n" : ",\n") + to_json(tuned).dump(-1, ' ', false, Json::error_handler_t::replace);
  OutputFile(option, file).write((text.empty() ? "[" : text) + "\n]\n");
}

const Tuning* TuningTable::find(const DeviceInfo& device, const VariantEntry& variant, const Point& point) const {
  const Tuning* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  std::optional<std::string> source;  // of a module, costly: made once, and only where its variant is in the table
  for (const TunedPoint& tuned : points_) {
    if (tuned.device != device.name || tuned.variant != variant.id()) continue;
    const double distance = log_distance(tuned.point, point);
    if (distance >= least) continue;
    if (!source) source = source_of(variant);
    const auto tuning = std::ranges::find(variant.tunings, tuned.tuning, &Tuning::name);
    if (tuned.source != *source || tuning == variant.tunings.end()) continue;
    nearest = &*tuning;
    least = distance;
  }
  return nearest;
}

}  // namespace crosswarp
