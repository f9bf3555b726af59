// Findings are grouped: a kind of contradiction is one line per file, with the number of rows and the first of them.
#include "bench/report/folder_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "bench/options.hpp"
#include "bench/report/result_file.hpp"
#include "bench/stored_results.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/format.hpp"
#include "core/statistics.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;

constexpr double rounding = 2e-3;     // of numbers in files, relative
constexpr double repeatable = 1.02;   // a peak, measured twice
constexpr double floor_noise = 0.95;  // of an empty launch: the file has its median only
constexpr double busy = 0.1;          // share of the device that others use

/// What the context of a run must have, and, with the prefix `device.gpu0.`, that of its GPU.
constexpr std::array facts_of_run{"date", "commit", "version", "library_build_type", "flags",
                                  "seed", "cpu",    "cpus",    "backends",           "host_kernel"};
constexpr std::array facts_of_gpu{
    "name",        "architecture",  "driver",      "clock_mhz", "memory_bytes",
    "cache_bytes", "compute_units", "power_cap_w", "ecc",       "pci",
    "pcie",        "numa_node",     "gpus",        "nvlinks",   "theoretical_bytes_per_second"};
/// What files of one folder must share.
constexpr std::array shared_facts{"commit", "flags", "cpu", "cpus"};
constexpr std::array shared_facts_of_gpu{"name", "architecture", "driver", "power_cap_w", "ecc"};

/// An equal text for equal requests. Throws Error where this build does not know an option.
std::string normal_form(const std::string& request, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"bench"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return parse(resumed(arguments, request)).request;
}

/// A request in normal form without --experiment: one run may make the files of several experiments, whose rows are
/// looked for one by one.
std::string of_any_experiment(const std::string& request) {
  nlohmann::json options = nlohmann::json::parse(request);
  std::erase_if(options.get_ref<nlohmann::json::array_t&>(),
                [](const nlohmann::json& option) { return option.get<std::string>().starts_with("--experiment="); });
  return options.dump();
}

/// What a file must hold.
struct Expected {
  std::string request;
  std::vector<std::string> backends, experiments, variants;
};

/// The files that a folder must have.
std::map<std::string, Expected> expected_files() {
  std::map<std::string, Expected> files;
  std::istringstream lines{std::string(measured_files)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    std::vector<std::string> options;
    for (std::string word; words >> word;) options.push_back(word);
    std::string& request = files[name].request;
    request = normal_form(request.empty() ? "[]" : request, options);
  }
  for (auto& [name, file] : files) {
    const Filter selected = parse(resumed({"bench"}, file.request)).filter;
    file.backends = selected.backends;
    file.experiments = selected.experiments.empty() ? std::vector{name} : selected.experiments;
    file.variants = selected.variants;
  }
  return files;
}

/// The options of a request, as one would type them.
std::string typed(const std::string& request) {
  std::string text;
  for (const nlohmann::json& option : nlohmann::json::parse(request))
    text += (text.empty() ? "" : " ") + option.get<std::string>();
  return text;
}

/// `device.gpu0.` of each GPU in a context.
std::vector<std::string> gpus_in(const Context& context) {
  const std::string device = "device.gpu", name = ".name";
  std::vector<std::string> prefixes;
  for (const auto& [fact, is] : context)
    if (fact.starts_with(device) && fact.ends_with(name)) prefixes.push_back(fact.substr(0, fact.size() - 4));
  return prefixes;
}

std::string said(const Context& context, const std::string& fact) {
  const auto found = context.find(fact);
  return found == context.end() ? "" : found->second;
}

double number(const Context& context, const std::string& fact) {
  try {
    return std::stod(said(context, fact));
  } catch (const std::exception&) {
    return 0;
  }
}

/// What is wrong with one row, as it stands in its file and as it follows from its samples. Each finding is a kind,
/// which rows share, and its figures.
class RowCheck {
 public:
  using Finding = std::pair<std::string, std::string>;

  RowCheck(const Context& context, const Json& row, const Result& result) : row_(row), result_(result) {
    for (const std::string& gpu : gpus_in(context)) {
      if (said(context, gpu + "name") != result.device.name) continue;
      of_gpu_ = true;
      cache_ = number(context, gpu + "cache_bytes");
      // A multiprocessor takes 64 bytes per clock from L2.
      l2_ = 64 * number(context, gpu + "compute_units") * number(context, gpu + "clock_mhz") * 1e6;
    }
  }

  std::vector<Finding> findings() {
    check_status();
    if (!result_.time()) return std::move(found_);
    for (const char* name :
         {"real_time", "bytes_per_second", "flops_per_second", "of_measured_peak", "of_theoretical_peak"})
      check_derived(name);
    check_interval("real_time", number_in("real_time"), number_in("real_time_low"), number_in("real_time_high"));
    for (const char* name : {"over_parent", "over_library", "over_other"})
      if (const auto ratio = row_.find(name); ratio != row_.end() && ratio->is_object())
        check_interval(name, number_in(*ratio, "value"), number_in(*ratio, "low"), number_in(*ratio, "high"));
    check_floor();
    check_peaks();
    if (of_gpu_ && !number_in("sm_clock_mhz")) find("without a clock", "");
    return std::move(found_);
  }

 private:
  void find(const std::string& kind, const std::string& figures) { found_.emplace_back(kind, figures); }

  std::optional<double> number_in(const char* name) const { return number_in(row_, name); }
  static std::optional<double> number_in(const Json& object, const char* name) {
    const auto value = object.find(name);
    return value == object.end() || !value->is_number() ? std::nullopt : std::optional(value->get<double>());
  }

  void check_status() {
    const Status status = result_.status;
    if (status == Status::wrong || status == Status::failed || status == Status::implausible)
      find(to_string(status), result_.note);
    else if (status == Status::skipped && result_.note.empty())
      find("skipped without a reason", "");
    else if (status == Status::ok && !result_.time())
      find("ok without samples", "");
    else if (status == Status::ok && !number_in("verdict_bound"))
      find("ok without a verdict", "");
    else if (status == Status::ok && result_.verdict.error > result_.verdict.bound)
      find("ok with an error above its bound",
           fmt::format("{:.3g} > {:.3g}", result_.verdict.error, result_.verdict.bound));
  }

  /// What follows from samples, cost and peaks must be what the file says.
  void check_derived(const char* name) {
    const Json is = field(name).get(result_);
    const auto written = number_in(name);
    if (!is.is_number() && !written) return;
    const double derived = is.is_number() ? is.get<double>() : 0;
    if (!written || !(std::abs(*written - derived) <= rounding * std::abs(derived)))
      find(fmt::format("{} does not follow from the samples", name),
           fmt::format("{} in the file, {:.6g} by its samples", written ? fmt::format("{:.6g}", *written) : "nothing",
                       derived));
  }

  void check_interval(const char* name, std::optional<double> value, std::optional<double> low,
                      std::optional<double> high) {
    if (!low && !high) return;  // too few placements
    const double slack = 1 + rounding;
    if (value && low && high && *low <= *value * slack && *value <= *high * slack && *high > 0) return;
    find(fmt::format("{} outside of its interval", name),
         fmt::format("{:.6g} in [{:.6g}, {:.6g}]", value.value_or(0), low.value_or(0), high.value_or(0)));
  }

  void check_floor() {
    const std::vector<double> samples = flatten(result_.measurement.seconds);
    if (*std::ranges::min_element(samples) <= 0) find("a sample of no time", "");
    if (result_.floor > 0 && median_interval(samples).high < floor_noise * result_.floor)
      find("faster than an empty launch",
           fmt::format("{:.4g} µs against {:.4g} µs", 1e6 * median(samples), 1e6 * result_.floor));
  }

  void check_peaks() {
    double of_peak = result_.of_theoretical_peak().value_or(0);
    const double bytes = result_.cost.bytes_read + result_.cost.bytes_written;
    // A set in the cache is held to the cache's rate.
    if (result_.cost.ceiling == "memory" && of_gpu_ && l2_ > 0 && (bytes <= 2 * cache_ || result_.mode == Mode::hot))
      of_peak = result_.bytes_per_second().value_or(0) / l2_;
    if (of_peak > 1 + rounding) find("above the theoretical peak", fmt::format("{:.4g} of it", of_peak));
    if (result_.cost.ceiling != "memory" && result_.of_measured_peak().value_or(0) > repeatable)
      find("above the measured peak",
           fmt::format("{:.4g} of it; measure it again (bench devices --measure)", *result_.of_measured_peak()));
  }

  const Json& row_;
  const Result& result_;
  bool of_gpu_ = false;
  double cache_ = 0, l2_ = 0;
  std::vector<Finding> found_;
};

class FolderCheck {
 public:
  explicit FolderCheck(const std::string& folder) : folder_(folder) {
    if (!fs::is_directory(folder)) throw Error(fmt::format("--check {}: is no folder of results", folder));
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path file = fs::relative(entry.path(), folder);
      if (const fs::path of = entry.path().parent_path() / file.stem();
          file.extension() == ".journal" && newest_of(of) != of)
        find(file, "its run was cut off; bench --resume completes it");
      if (file.extension() == ".json") names.insert(file.parent_path() / file.stem());
    }
    const auto expected = expected_files();
    for (const auto& [name, file] : expected)
      if (!names.contains(name))
        find(name + ".json", "missing; scripts/measure makes it, and scripts/measure --files lists by which options");
    for (const std::string& name : names) {
      const auto file = expected.find(name);
      check_file(name + ".json", file == expected.end() ? Expected() : file->second);
    }
    check_shared();
  }

  bool print() const {
    for (const auto& [file, what] : found_)
      std::cout << printable(fmt::format("{}{}{}", file, file.empty() ? "" : ": ", what)) << "\n";
    std::cout << printable(fmt::format("{}: {} files, {} cells, {}", folder_, files_, cells_,
                                       found_.empty()
                                           ? "no finding"
                                           : fmt::format("{} finding{}", found_.size(), found_.size() == 1 ? "" : "s")))
              << "\n";
    return found_.empty();
  }

 private:
  void find(const std::string& file, const std::string& what) { found_.emplace_back(file, what); }

  /// `expected`: empty for a file beside those that a folder must have.
  void check_file(const std::string& file, const Expected& expected) try {
    const StoredResults stored = read_stored((fs::path(folder_) / file).string());
    ++files_;
    check_request(file, stored.context, expected.request);
    check_context(file, stored.context);
    RecordedCells cells;
    std::map<std::string, std::pair<std::size_t, std::string>> kinds;
    std::size_t times = 0;
    std::set<std::string> backends, experiments, variants;
    for (const Json& row : stored.rows) {
      const Result result = from_json(row, cells.find(row));
      ++cells_;
      times += result.time().has_value();
      backends.insert(result.cell.variant->backend);
      experiments.insert(result.cell.variant->experiment);
      variants.insert(result.cell.variant->name);
      for (const auto& [kind, figures] : RowCheck(stored.context, row, result).findings())
        if (auto& [count, first] = kinds[kind]; ++count == 1)
          first = result.name() + (figures.empty() ? "" : ": " + figures);
    }
    if (times == 0) find(file, "has no row with a time");
    require(file, "backend", expected.backends, backends);
    require(file, "experiment", expected.experiments, experiments);
    require(file, "variant", expected.variants, variants);
    for (const auto& [kind, rows] : kinds)
      find(file, fmt::format("{} {}: {}; {}{}", rows.first, rows.first == 1 ? "row" : "rows", kind,
                             rows.first == 1 ? "" : "the first: ", rows.second));
  } catch (const std::exception& why) {
    find(file, fmt::format("cannot be read: {}", why.what()));
  }

  void require(const std::string& file, const char* what, const std::vector<std::string>& wanted,
               const std::set<std::string>& there) {
    for (const std::string& name : wanted)
      if (!there.contains(name)) find(file, fmt::format("has no row of {} {}", what, name));
  }

  void check_request(const std::string& file, const Context& context, const std::string& wanted) {
    if (wanted.empty()) return;
    const std::string request = said(context, "request");
    std::string is;
    try {
      is = request.empty() ? "" : of_any_experiment(normal_form(request));
    } catch (const std::exception&) {
      is = request;
    }
    if (is != of_any_experiment(wanted))
      find(file, fmt::format("made by other options: {}, not {}", request.empty() ? "unknown ones" : typed(request),
                             typed(wanted)));
  }

  void check_context(const std::string& file, const Context& context) {
    std::string missing;
    const auto require = [&](const std::string& fact) {
      if (said(context, fact).empty()) missing += (missing.empty() ? "" : ", ") + fact;
    };
    for (const char* fact : facts_of_run) require(fact);
    const std::vector<std::string> gpus = gpus_in(context);
    for (const std::string& gpu : gpus)
      for (const char* fact : facts_of_gpu) require(gpu + fact);
    if (!missing.empty()) find(file, "its context lacks " + missing);
    if (gpus.empty()) find(file, "its context has no GPU");

    const std::string commit = said(context, "commit"), build = said(context, "library_build_type");
    if (commit.ends_with("-dirty") || commit == "unknown")
      find(file, fmt::format("commit {}: build from a clean checkout", commit));
    if (commit.find(',') != commit.npos) find(file, fmt::format("rows of several commits: {}", commit));
    if (!build.empty() && build != "release") find(file, fmt::format("a {} build", build));
    for (const std::string& gpu : gpus)
      for (const char* when : {"before", "during"})
        if (const double share = number(context, fmt::format("{}used_by_others_{}", gpu, when)); share >= busy)
          find(file, fmt::format("others used {:.0f} % of the GPU {}{}", 100 * share, when,
                                 when == std::string_view("before") ? " the run" : " it"));

    const auto note = [&](const std::string& fact, const std::string& value) {
      if (!value.empty()) shared_[fact][value].push_back(file);
    };
    for (const char* fact : shared_facts) note(fact, said(context, fact));
    for (const std::string& gpu : gpus)
      for (const char* fact : shared_facts_of_gpu) note(std::string("GPU's ") + fact, said(context, gpu + fact));
  }

  /// A line per fact in which files differ: what most have, and the others.
  void check_shared() {
    for (const auto& [fact, values] : shared_) {
      if (values.size() < 2) continue;
      const auto most = std::ranges::max_element(values, {}, [](const auto& value) { return value.second.size(); });
      std::string others;
      for (const auto& [value, files] : values)
        if (value != most->first)
          others += fmt::format("{}{} in {}{}", others.empty() ? "" : ", ", value, files.front(),
                                files.size() == 1 ? "" : fmt::format(" and {} more", files.size() - 1));
      find("", fmt::format("several values of {}: {} in {} files, {}", fact, most->first, most->second.size(), others));
    }
  }

  std::string folder_;
  std::size_t files_ = 0, cells_ = 0;
  std::vector<std::pair<std::string, std::string>> found_;                         // file, what
  std::map<std::string, std::map<std::string, std::vector<std::string>>> shared_;  // files by fact and value
};

}  // namespace

bool check_folder(const std::string& folder) { return FolderCheck(folder).print(); }

}  // namespace crosswarp
