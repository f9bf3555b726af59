// `bench report -o ladder.svg`: a chart for pages.
#pragma once

#include <string>
#include <vector>

#include "bench/report/result_file.hpp"

namespace crosswarp {

/// One experiment's ladder, at the last point that most rungs have, below every rung over the axis with most values.
/// Throws Error if the files have several experiments, modes or devices, or if gnuplot is not installed.
std::string svg_report(const std::vector<ResultFile>& files);

}  // namespace crosswarp
