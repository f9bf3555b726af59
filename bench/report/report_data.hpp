// What the page shows, as the JSON that its script reads.
#pragma once

#include <string>
#include <vector>

#include "bench/report/result_file.hpp"

namespace crosswarp {

/// A level of a memory hierarchy, as the findings of memory_latency tell it.
struct Plateau {
  std::string rung, space, stride;
  double seconds;      ///< Of a load.
  double first, last;  ///< Bytes; the last is infinite where nothing leaves the level.
};

/// Nothing where the line tells of none.
std::optional<Plateau> plateau(const std::string& finding);

/// Medians, intervals and counters of all cells, without their samples: some 600 bytes a cell.
Json report_data(const std::vector<ResultFile>& files);

}  // namespace crosswarp
