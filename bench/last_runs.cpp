// Damaged files are no runs here: the command's answer names the files that it takes.
#include "bench/last_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/stored_results.hpp"
#include "core/error.hpp"
#include "core/run_folder.hpp"

namespace crosswarp {
namespace {

using Json = nlohmann::ordered_json;

/// Results files of the user's folder, the newest first.
std::vector<std::string> kept_runs() { return RunFolder::of_user().files(); }

/// Empty for a damaged file.
Json rows_of(const std::string& path) try { return read_stored(path).rows; } catch (const Error&) {
  return Json::array();
}

/// Names of cells with a time, and their devices.
std::set<std::pair<std::string, std::string>> timed_cells(const std::string& path) {
  std::set<std::pair<std::string, std::string>> cells;
  for (const Json& row : rows_of(path))
    if (row.is_object() && row.contains("name") && row.contains("device") && row.contains("real_time") &&
        row["name"].is_string() && row["device"].is_string() && row["real_time"].is_number())
      cells.emplace(row["name"], row["device"]);
  return cells;
}

}  // namespace

std::string last_run(const std::string& command) {
  const std::vector<std::string> runs = kept_runs();
  if (runs.empty()) throw Error(fmt::format("{}: there is no earlier run; name a results file of --json", command));
  return runs.front();
}

std::string last_results(const std::string& command) {
  for (const std::string& run : kept_runs())
    if (!rows_of(newest_of(run)).empty()) return newest_of(run);
  throw Error(fmt::format("{}: there are no results yet; run bench, or name a results file of --json", command));
}

std::vector<std::string> last_comparable_results(const std::string& command) {
  std::string last;
  std::set<std::pair<std::string, std::string>> cells;
  for (const std::string& run : kept_runs()) {
    const std::string path = newest_of(run);
    auto earlier = timed_cells(path);
    if (earlier.empty()) continue;
    if (last.empty()) {
      last = path;
      cells = std::move(earlier);
    } else if (std::ranges::any_of(earlier, [&](const auto& cell) { return cells.contains(cell); })) {
      return {path, last};
    }
  }
  if (last.empty())
    throw Error(fmt::format("{}: there are no results yet; run bench twice, or name two results files", command));
  throw Error(
      fmt::format("{}: no earlier run has cells of {}; repeat that run, or name two results files", command, last));
}

}  // namespace crosswarp
