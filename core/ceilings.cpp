// One JSON object: machine → device → part → rate.
#include "core/ceilings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/output_file.hpp"
#include "core/user_folder.hpp"

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

/// An exa-operation a second is a supercomputer's rate, not a device's.
constexpr double max_rate = 1e18;

/// The object in the file; empty for no file. Throws Error for anything else.
Json read_all(const std::string& path) {
  std::error_code failed;
  if (!fs::exists(path, failed)) return Json::object();
  if (!fs::is_regular_file(path, failed)) throw Error("not a regular file");
  std::ifstream file(path);
  Json json = parse_json(std::string(std::istreambuf_iterator<char>(file), {}));
  if (!json.is_object()) throw Error("not a JSON object");
  return json;
}

struct Kept {
  std::map<std::string, Peaks> rates;  ///< By device.
  std::string problem;                 ///< Why some or all of the file was left out; empty for nothing.
};

Kept read_rates(const std::string& path) {
  Kept kept;
  const auto leave_out = [&](const std::string& why) { kept.problem = fmt::format("{}: {}", path, why); };
  try {
    const Json all = read_all(path);
    const Json here = all.value(machine(), Json::object());
    for (const auto& [device, parts] : here.items())
      for (const auto& [part, rate] : parts.items())
        if (rate.is_number() && rate > 0 && rate <= max_rate)
          kept.rates[device][part] = rate;
        else
          leave_out(fmt::format("{} is no rate of a device ({} of {})", rate.dump(), part, device));
  } catch (const std::exception& why) {
    leave_out(plain(why));
  }
  return kept;
}

}  // namespace

Ceilings::Ceilings(std::string file) : file_(std::move(file)) {
  Kept kept = read_rates(file_);
  rates_ = std::move(kept.rates);
  problem_ = std::move(kept.problem);
}

Ceilings Ceilings::of_this_machine() {
  const fs::path cache = user_folder("XDG_CACHE_HOME", ".cache");
  return cache.empty() ? Ceilings() : Ceilings(cache / "ceilings.json");
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
  for (const auto& [name, parts] : read_rates(file_).rates)
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
  Json all = Json::object();
  try {
    all = read_all(file_);
  } catch (const Error&) {  // a damaged file is replaced
  }
  all[machine()] = rates_;
  OutputFile("", file_).write(all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace crosswarp
