// What is compared and what is taken over from an earlier run.
#include "bench/resume.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/stored_results.hpp"
#include "core/error.hpp"

namespace crosswarp {
namespace {

using Line = nlohmann::ordered_json;

/// What may differ between runs whose results stand in one file.
bool may_differ(const std::string& fact) {
  for (const char* own : {"date", "host_name", "executable", "backends", "request"})
    if (fact == own) return true;
  return fact.ends_with(".measured_bytes_per_second");
}

/// How to have it as the earlier run had it; empty where no flag does that.
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
  throw Error(fmt::format("--resume {}: {}; {}give --json another file to start anew", path, differences,
                          flags_do ? fmt::format("run with{}, or ", flags) : ""));
}

}  // namespace

std::string read_request(const std::string& path) {
  if (!has_results(path)) throw Error(fmt::format("--resume {}: there is no such file; --json starts one", path));
  const Context context = read_newest(path).context;
  const auto request = context.find("request");
  if (request == context.end())
    throw Error(fmt::format("--resume {}: does not say what was asked for; --json another file starts anew", path));
  return request->second;
}

Earlier read_earlier(const std::string& path, const Context& now) {
  const StoredResults stored = read_newest(path);
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

bool is_finished(const Result& result) { return result.status != Status::failed; }

}  // namespace crosswarp
