// `bench report -o ladder.svg`: a figure for pages.
#pragma once

#include <string>
#include <vector>

#include "bench/report/result_file.hpp"

namespace crosswarp {

/// One experiment's ladder at the last point that most rungs have, from the first rung to the fastest, beside the
/// fastest library and the other backends; below it each backend over the axis with most values. Throws Error if the
/// files have several experiments, modes or devices.
std::string svg_report(const std::vector<ResultFile>& files);

}  // namespace crosswarp
