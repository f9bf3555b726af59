// One JSON object: machine → device → part → rate.
#include "core/ceilings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/output_file.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Machines may share a home directory, and two cards of one name differ.
std::string machine() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

/// Rates grow with the units in use: threads of a host, multiprocessors of a partitioned GPU.
std::string key_of(const DeviceInfo& device) { return fmt::format("{}, {} units", device.name, device.compute_units); }

Json read_all(const std::string& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return Json::object();
  std::ifstream file(path);
  try {
    const Json json = parse_json(file);
    return json.is_object() ? json : Json::object();
  } catch (const std::exception&) {
    return Json::object();
  }
}

std::map<std::string, Peaks> read_rates(const std::string& path) {
  std::map<std::string, Peaks> rates;
  const Json all = read_all(path);
  if (const auto here = all.find(machine()); here != all.end() && here->is_object())
    for (const auto& [device, parts] : here->items())
      for (const auto& [part, rate] : parts.items())
        if (rate.is_number() && rate > 0) rates[device][part] = rate;
  return rates;
}

}  // namespace

Ceilings::Ceilings(std::string file) : file_(std::move(file)), rates_(read_rates(file_)) {}

Ceilings Ceilings::of_this_machine() {
  const auto folder = [](const char* variable) {
    const char* value = std::getenv(variable);
    return fs::path(value ? value : "");
  };
  fs::path cache = folder("XDG_CACHE_HOME");
  if (cache.empty() && !folder("HOME").empty()) cache = folder("HOME") / ".cache";
  return cache.empty() ? Ceilings() : Ceilings(cache / "crosswarp" / "ceilings.json");
}

double Ceilings::rate(const DeviceInfo& device, std::string_view part) const {
  const auto known = rates_.find(key_of(device));
  if (known == rates_.end()) return 0;
  const auto found = known->second.find(part);
  return found == known->second.end() ? 0 : found->second;
}

void Ceilings::raise(const DeviceInfo& device, std::string_view part, double measured) {
  double& rate = rates_[key_of(device)][std::string(part)];
  rate = std::max(rate, measured);
  // Other processes may have written other rates since this one read the file.
  for (const auto& [name, parts] : read_rates(file_))
    for (const auto& [of, kept] : parts) {
      double& mine = rates_[name][of];
      mine = std::max(mine, kept);
    }
  try {
    write();
  } catch (const Error&) {
  }
}

void Ceilings::replace(const DeviceInfo& device, const Peaks& measured) {
  rates_[key_of(device)] = measured;
  write();
}

void Ceilings::check_file() const {
  std::error_code failed;
  fs::create_directories(fs::path(file_).parent_path(), failed);
  OutputFile("", file_).check();
}

void Ceilings::write() const {
  if (file_.empty()) return;
  check_file();
  Json all = read_all(file_);
  all[machine()] = rates_;
  OutputFile("", file_).write(all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace crosswarp
