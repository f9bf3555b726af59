// Results files of runs without --json.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace crosswarp {

/// A folder with a results file `<date>_<time>_<process>.json` and its journal for each run. Other files in it are left
/// alone.
class RunFolder {
 public:
  explicit RunFolder(std::string path) : path_(std::move(path)) {}
  /// $XDG_STATE_HOME/crosswarp/runs, else ~/.local/state/crosswarp/runs. Throws Error if neither variable is set.
  static RunFolder of_user();

  const std::string& path() const { return path_; }
  /// The path of a new results file, named by the time in UTC, so that names sort by time. Creates the folder. Throws
  /// Error.
  std::string new_file() const;
  /// Results files, the newest first, which may have only a journal. Without those that a process is writing.
  std::vector<std::string> files() const;
  /// Lists a results file that is elsewhere, of --json, among the runs, as the newest. Throws Error if the folder cannot
  /// be created.
  void note(const std::string& file) const;
  /// Removes all but the last `kept` runs, and none that a process is writing.
  void remove_old(std::size_t kept = 20) const;

 private:
  std::string path_;
};

}  // namespace crosswarp
