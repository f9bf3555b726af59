// `bench report -o report.html`: one page that needs no network.
#pragma once

#include <string>
#include <vector>

#include "bench/report/result_file.hpp"

namespace crosswarp {

/// Throws Error if plotly is not installed.
std::string html_report(const std::vector<ResultFile>& files);

}  // namespace crosswarp
