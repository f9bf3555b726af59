// A run is its results file, its journal and what an interrupted write left of them.
#include "core/run_folder.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <regex>

#include "core/error.hpp"
#include "core/output_file.hpp"
#include "core/user_folder.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;

struct RunFiles {
  std::vector<fs::path> all;
  bool has_results = false;  // a file or a journal that is not empty
  std::string elsewhere;     // the results file of --json that a link stands for
};

bool is_filled(const std::string& file) {
  std::error_code failed;
  return fs::is_regular_file(file, failed) && fs::file_size(file, failed) > 0;
}

/// By the path of the results file: the oldest first.
std::map<std::string, RunFiles> runs_in(const std::string& folder) {
  static const std::regex pattern(R"((\d{4}-\d\d-\d\d_\d{6}\.\d{3}_\d+\.json)(.*))");
  std::map<std::string, RunFiles> runs;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename();
    std::smatch parts;
    const bool is_link = entry.is_symlink(failed);
    if (!std::regex_match(name, parts, pattern) || !(is_link || entry.is_regular_file(failed))) continue;
    RunFiles& run = runs[fs::path(folder) / parts[1].str()];
    run.all.push_back(entry.path());
    if (is_link)
      run.elsewhere = fs::read_symlink(entry.path(), failed);
    else
      run.has_results |= (parts[2].length() == 0 || parts[2] == ".journal") && entry.file_size(failed) > 0;
    if (is_link) run.has_results = is_filled(run.elsewhere) || is_filled(run.elsewhere + ".journal");
  }
  return runs;
}

bool is_being_written(const std::string& file) { return is_growing(file) || is_growing(file + ".journal"); }

}  // namespace

RunFolder RunFolder::of_user() {
  const fs::path folder = user_folder("XDG_STATE_HOME", ".local/state");
  if (folder.empty()) throw Error("no state folder: neither XDG_STATE_HOME nor HOME is set");
  return RunFolder(folder / "runs");
}

std::string RunFolder::new_file() const {
  std::error_code failed;
  fs::create_directories(path_, failed);
  if (failed) throw Error(fmt::format("{}: cannot be created ({})", path_, failed.message()));
  const auto now = std::chrono::system_clock::now();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  return fs::path(path_) / fmt::format("{:%Y-%m-%d_%H%M%S}.{:03}_{}.json",
                                       fmt::gmtime(std::chrono::system_clock::to_time_t(now)), milliseconds % 1000,
                                       getpid());
}

std::vector<std::string> RunFolder::files() const {
  std::vector<std::string> files;
  for (const auto& [name, run] : runs_in(path_)) {
    const std::string& file = run.elsewhere.empty() ? name : run.elsewhere;
    if (run.has_results && !is_being_written(file)) files.push_back(file);
  }
  std::reverse(files.begin(), files.end());
  return files;
}

void RunFolder::note(const std::string& file) const {
  std::error_code failed;
  const std::string whole = follow_links(fs::absolute(file, failed));
  if (failed || fs::path(whole).parent_path() == fs::weakly_canonical(path_, failed)) return;
  for (const auto& [name, run] : runs_in(path_))
    if (run.elsewhere == whole) fs::remove(name, failed);
  fs::create_symlink(whole, new_file(), failed);
}

void RunFolder::remove_old(std::size_t kept) const {
  const std::map<std::string, RunFiles> runs = runs_in(path_);
  auto oldest_kept = runs.end();
  for (std::size_t found = 0; found < kept && oldest_kept != runs.begin();)
    found += (--oldest_kept)->second.has_results;
  for (auto run = runs.begin(); run != oldest_kept; ++run) {
    std::error_code failed;
    if (is_being_written(run->first)) continue;
    for (const fs::path& file : run->second.all) fs::remove(file, failed);
  }
}

}  // namespace crosswarp
