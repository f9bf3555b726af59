// A file holds all results of a run that ended, its journal those of one that did not: the newer of both holds the
// most.
#include "bench/resume.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using Line = nlohmann::ordered_json;

Error no_results(const std::string& path, const std::string& why) {
  return Error(fmt::format("--resume {}: no results of bench --json ({})", path, why));
}

/// The lines of a journal. The last one may have been cut off in its middle.
std::vector<Line> journal_lines(const std::string& path) {
  std::vector<Line> lines;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    lines.push_back(Line::parse(text, nullptr, false));
    if (!lines.back().is_discarded()) continue;
    lines.pop_back();
    if (file.peek() != std::ifstream::traits_type::eof()) throw no_results(path, "a line is no JSON");
  }
  return lines;
}

/// The same lines, of a whole file.
std::vector<Line> file_lines(const std::string& path) {
  std::ifstream file(path);
  const Line whole = Line::parse(file, nullptr, false);
  if (!whole.is_object() || !whole.contains("benchmarks")) throw no_results(path, "it is no whole file");
  std::vector<Line> lines{{{"context", whole.at("context")}}};
  for (const Line& row : whole.at("benchmarks")) lines.push_back(row);
  return lines;
}

std::vector<Line> lines_of(const std::string& path) {
  const std::string journal = path + ".journal";
  if (!fs::exists(journal)) return fs::exists(path) ? file_lines(path) : std::vector<Line>{};
  if (fs::exists(path) && fs::last_write_time(path) >= fs::last_write_time(journal)) return file_lines(path);
  return journal_lines(journal);
}

/// What may differ between runs whose results stand in one file.
bool may_differ(const std::string& fact) {
  for (const char* own : {"date", "host_name", "executable", "backends"})
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

Earlier read_earlier(const std::string& path, const Context& now) {
  const std::vector<Line> lines = lines_of(path);
  Earlier earlier;
  if (lines.empty()) return earlier;
  try {
    earlier.context = lines.front().at("context").get<Context>();
    require_same(path, earlier.context, now);
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::string text = lines[i].dump(-1, ' ', false, Line::error_handler_t::replace);
      Result result = read_json_line(text);
      earlier.rows.push_back({result.name(), result.repetition, text});
      earlier.results.push_back(std::move(result));
    }
  } catch (const Line::exception& error) {
    throw no_results(path, error.what());
  }
  return earlier;
}

bool is_finished(const Result& result) { return result.status != Status::failed; }

}  // namespace crosswarp
