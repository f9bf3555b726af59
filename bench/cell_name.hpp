// Cells by the names that results have: `cuda/reduce_sum/float4@waves8/n:1024/type:f32/cold/graph`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/registry.hpp"
#include "core/result.hpp"

namespace crosswarp {

/// Parts of a name: `<rung>[/<axis>:<value>]…[/<mode>[/graph]]`.
struct CellName {
  explicit CellName(const std::string& name);
  std::string rung, mode;
  std::map<std::string, std::string> axes;
};

/// A cell of each rung of this build, with all tunings, at any point.
std::vector<Cell> all_rungs();

/// A cell, and how it is timed: what the name of a result says.
struct NamedCell {
  Cell cell;
  Mode mode;
  LaunchBy launch_by;
};

/// The cells that a file names, one per line. Throws Error, with line and nearest match, for a name that no result of
/// this build can have; axes with a default may be left out.
std::vector<NamedCell> read_cells(const std::string& path);

}  // namespace crosswarp
