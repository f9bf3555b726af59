// Tables for README and docs, from the JSON of earlier runs.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "bench/report/result_file.hpp"

namespace crosswarp {

/// One table for each experiment, mode and device: a line for each rung, a column for each point.
std::string markdown_report(const std::vector<ResultFile>& files);

/// The point in words, but for axes in `known` and for offsets of 0: `n = 2^20, type = f32`.
std::string short_point(const Json& axes, const std::set<std::string>& known = {});

}  // namespace crosswarp
