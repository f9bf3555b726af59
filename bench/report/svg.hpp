// Results as a drawing for pages.
#pragma once

#include <string>
#include <vector>

#include "bench/report/result_file.hpp"

namespace crosswarp {

/// The ladder of the one experiment that the files have, at the last of the points that most rungs have, and above it
/// every rung over the axis with most values. Throws Error where they have several experiments, modes or devices, and
/// where gnuplot is not installed.
std::string svg_report(const std::vector<ResultFile>& files);

}  // namespace crosswarp
