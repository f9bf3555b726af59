// Which cells a request comes to on this machine, in the order in which they run.
#pragma once

#include <string>
#include <vector>

#include "bench/executor.hpp"
#include "bench/options.hpp"

namespace crosswarp {

/// Cells that run side by side: one experiment, one point, one mode, launched in one way.
struct Group {
  std::vector<Cell> cells;
  Mode mode;
  LaunchBy launch_by;

  /// Of one of its cells, as Result::name().
  std::string name_of(const Cell& cell) const { return cell.id() + "/" + to_string(mode, launch_by); }
};

struct Plan {
  std::vector<Group> groups;
  std::vector<std::string> backends;  ///< As the user ordered them, or as chosen here.
};

/// Throws Error where the request cannot be met on this machine: a backend that was asked for has no device, a size
/// that was asked for does not fit in memory.
Plan plan(const Options& options, Executor& executor);

}  // namespace crosswarp
