// The plan of a run: cells in order of execution.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/executor.hpp"
#include "bench/options.hpp"

namespace crosswarp {

/// Cells timed side by side: of one experiment, point, mode and kind of launch.
struct Group {
  std::vector<Cell> cells;
  Mode mode;
  LaunchBy launch_by;

  /// Result::name() of a cell.
  std::string name_of(const Cell& cell) const { return cell.id() + "/" + to_string(mode, launch_by); }
};

struct Plan {
  std::vector<Group> groups;
  std::vector<std::string> backends;  ///< In the order of --backend, or chosen by default.
  /// Cells at points that do not fit, by id: in memory, or in the time that a check may take.
  std::map<std::string, Result> unfit{};

  /// Null if it fits.
  const Result* skipped(const Cell& cell) const {
    const auto found = unfit.find(cell.id());
    return found == unfit.end() ? nullptr : &found->second;
  }
};

/// The backends that are asked for. By default for a tour all that see the first GPU, else the first backend with a
/// GPU; without a GPU all backends, which share the host. Throws Error for one that cannot run.
std::vector<std::string> chosen_backends(const Options& options, const std::vector<std::string>& asked,
                                         Executor& executor);

/// Sorts rows of a table: backends in the given order, each from its first rung up.
void sort_by_rung(std::vector<Cell>& cells, const std::vector<std::string>& backends);

/// Throws Error if the request cannot be met on this machine: a backend without a device, no point that fits.
Plan plan(const Options& options, Executor& executor);

}  // namespace crosswarp
