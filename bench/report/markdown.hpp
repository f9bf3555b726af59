// `bench report out.json`: tables for README and docs.
#pragma once

#include <string>
#include <vector>

#include "bench/report/result_file.hpp"

namespace crosswarp {

/// For each experiment, device and mode: the ladder at the last point of each sweep, the sweep with every rung, and the
/// findings.
std::string markdown_report(const std::vector<ResultFile>& files);

}  // namespace crosswarp
