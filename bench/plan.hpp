// Which cells a request comes to on this machine, in the order in which they run.
#pragma once

#include <map>
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
  std::vector<std::string> backends;          ///< As the user ordered them, or as chosen here.
  std::map<std::string, Result> too_large{};  ///< Cells that do not fit in memory, by id: skipped, with the reason.

  /// Null where it fits.
  const Result* skipped(const Cell& cell) const {
    const auto found = too_large.find(cell.id());
    return found == too_large.end() ? nullptr : &found->second;
  }
};

/// Throws Error where the request cannot be met on this machine: a backend that was asked for has no device, none of
/// the sizes that were asked for fits in memory.
Plan plan(const Options& options, Executor& executor);

}  // namespace crosswarp
