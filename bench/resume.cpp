// Checks that an earlier run is comparable, and reads its results.
#include "bench/resume.hpp"

#include <fmt/format.h>

#include <filesystem>

#include <nlohmann/json.hpp>

#include "bench/stored_results.hpp"
#include "core/error.hpp"

namespace crosswarp {
namespace {

using Line = nlohmann::ordered_json;

/// Facts that may differ between runs in one file.
bool may_differ(const std::string& fact) {
  for (const char* own : {"commit", "date", "host_name", "host_kernel", "executable", "backends", "request"})
    if (fact == own) return true;
  // Where the device is in which machine of a kind.
  for (const char* own : {".measured_bytes_per_second", ".pci", ".numa_node", ".gpus"})
    if (fact.ends_with(own)) return true;
  return false;
}

/// The flag that repeats a fact of the earlier run; empty for none.
std::string flag_for(const std::string& fact, const std::string& value) {
  if (fact == "seed") return "--seed " + value;
  if (fact == "min_time_s") return "--min-time " + value;
  if (fact == "placements") return "--placements " + value;
  return {};
}

void require_same(const std::string& path, const Context& before, const Context& now) {
  std::string differences, flags;
  bool flags_do = true;
  for (const auto& [fact, is] : now) {
    const auto was = before.find(fact);
    if (was == before.end() || was->second == is || may_differ(fact)) continue;
    differences += fmt::format("{}{} was {} and is {}", differences.empty() ? "" : ", ", fact, was->second, is);
    const std::string flag = flag_for(fact, was->second);
    flags += " " + flag;
    flags_do = flags_do && !flag.empty();
  }
  if (differences.empty()) return;
  throw Error(fmt::format("--resume {}: {}; {}start a new run", path, differences,
                          flags_do ? fmt::format("run with{}, or ", flags) : ""));
}

std::string why_no_results(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  switch (fs::status(path, failed).type()) {
    case fs::file_type::regular:
      return "is empty";
    case fs::file_type::directory:
      return "is a folder";
    case fs::file_type::not_found:
      return "no such file; --json FILE starts a run";
    default:
      return failed ? failed.message() : "is not a regular file";
  }
}

}  // namespace

std::string read_request(const std::string& path) {
  if (!has_results(path)) throw Error(fmt::format("--resume {}: {}", path, why_no_results(path)));
  const Context context = read_stored(newest_of(path)).context;
  const auto request = context.find("request");
  if (request == context.end()) throw Error(fmt::format("--resume {}: has no request; start a new run", path));
  return request->second;
}

Earlier read_earlier(const std::string& path, const Context& now) {
  const StoredResults stored = read_stored(newest_of(path));
  Earlier earlier;
  earlier.context = stored.context;
  require_same(path, earlier.context, now);
  try {
    for (const Line& row : stored.rows) {
      const std::string text = row.dump(-1, ' ', false, Line::error_handler_t::replace);
      Result result = read_json_line(text);
      earlier.rows.push_back({result.name(), result.repetition, text});
      earlier.results.push_back(std::move(result));
    }
  } catch (const Error& error) {
    throw Error(fmt::format("--resume {}: {}", path, error.what()));
  }
  return earlier;
}

Context continued(Context now, const Context& earlier) {
  if (const auto before = earlier.find("commit"); before != earlier.end()) {
    const std::string& commits = before->second;
    std::string& commit = now["commit"];
    const bool is_known = (", " + commits + ",").find(", " + commit + ",") != std::string::npos;
    commit = is_known ? commits : commits + ", " + commit;
  }
  now.insert(earlier.begin(), earlier.end());
  return now;
}

bool is_finished(const Result& result) { return result.status != Status::failed; }

}  // namespace crosswarp
