// A results file is one JSON object; a journal has one per line.
#include "bench/stored_results.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <tuple>
#include <vector>

#include "bench/compact_results.hpp"
#include "bench/recorded_cells.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json.hpp"
#include "core/verdicts.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view journal_extension = ".journal";

bool exists(const std::string& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

std::ifstream open(const std::string& path) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) throw Error(fmt::format("{}: cannot be read (it is a folder)", path));
  errno = 0;
  std::ifstream file(path);
  file.peek();
  if (!file.is_open() || file.bad()) throw Error(fmt::format("{}: cannot be read ({})", path, std::strerror(errno)));
  return file;
}

/// Keeps the last of the rows with one name and repetition, at the position of the first.
Json without_repeats(const Json& rows) {
  Json kept = Json::array();
  std::map<std::pair<std::string, std::size_t>, std::size_t> indices;
  for (const Json& row : rows) {
    const auto [index, is_new] = indices.try_emplace({row.at("name"), row.at("repetition_index")}, kept.size());
    if (is_new) kept.emplace_back();
    kept[index->second] = row;
  }
  return kept;
}

StoredResults read_journal(std::istream& file) {
  StoredResults stored;
  std::string line;
  std::getline(file, line);
  stored.context = parse_json(line).at("context").get<Context>();
  for (std::size_t number = 2; std::getline(file, line); ++number) {
    const bool is_whole = !file.eof();  // else the run was killed while writing it
    if (is_whole || Json::accept(line)) stored.rows.push_back(parse_json(line, number));
  }
  stored.rows = without_repeats(stored.rows);
  return stored;
}

/// Computes the fields that a compact file leaves out.
void complete(StoredResults& stored) {
  RecordedCells cells;
  std::vector<Result> results;
  for (const Json& row : stored.rows) results.push_back(from_json(row, cells.find(row)));
  using Group = std::tuple<std::string, std::string, std::string, std::string, std::size_t>;
  std::map<Group, std::vector<Result*>> groups;  // rows that ran side by side
  for (Result& r : results)
    groups[{r.cell.variant->experiment, r.cell.point.name(), to_string(r.mode, r.launch_by), r.device.name,
            r.repetition}]
        .push_back(&r);
  std::vector<std::string> backends;
  std::istringstream names(stored.context["backends"]);
  for (std::string name; std::getline(names, name, ',');) backends.push_back(name);
  const auto same_run = [](const Result& a, const Result& b) { return a.date == b.date && a.commit == b.commit; };
  for (const auto& [of, rows] : groups) compare(rows, backends, same_run);
  for (std::size_t i = 0; i < results.size(); ++i) stored.rows[i] = Json::parse(json_line(results[i]));  // NaN is null
}

StoredResults read_whole(std::istream& file, const std::string& path) {
  const Json json = parse_json(std::string(std::istreambuf_iterator<char>(file), {}));
  if (is_compact(json)) {
    StoredResults stored = read_compact(json, path);
    complete(stored);
    return stored;
  }
  for (const char* part : {"context", "benchmarks"})
    if (!json.is_object() || !json.contains(part)) throw Error(fmt::format("it has no {}", part));
  StoredResults stored{json.at("context").get<Context>(), json.at("benchmarks"), json.value("findings", Json::array())};
  if (!stored.rows.is_array() || !stored.findings.is_array()) throw Error("benchmarks or findings is not a list");
  return stored;
}

StoredResults read_one(const std::string& path) {
  std::ifstream file = open(path);
  try {
    StoredResults stored = path.ends_with(journal_extension) ? read_journal(file) : read_whole(file, path);
    return stored;
  } catch (const std::exception& why) {
    throw not_results(path, why);
  }
}

}  // namespace

std::string journal_of(const std::string& path) { return follow_links(path).append(journal_extension); }

bool has_results(const std::string& path) {
  std::error_code failed;
  const auto holds_any = [&](const std::string& file) {
    return fs::is_regular_file(file, failed) && fs::file_size(file, failed) > 0;
  };
  return holds_any(path) || holds_any(journal_of(path));
}

bool is_results_file(const std::string& path) {
  if (!has_results(path)) return false;
  try {
    read_stored(path);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

Error not_results(const std::string& path, const std::exception& why) {
  return Error(fmt::format("{}: not a result file of bench --json: {}", path, plain(why)));
}

StoredResults read_stored(const std::string& path) {
  return read_one(!exists(path) && exists(journal_of(path)) ? journal_of(path) : path);
}

std::string newest_of(const std::string& path) {
  const std::string journal = journal_of(path);
  const bool has_more = exists(journal) && (!exists(path) || fs::last_write_time(journal) > fs::last_write_time(path));
  return has_more ? journal : path;
}

}  // namespace crosswarp
