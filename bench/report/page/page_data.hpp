// What the page shows, as the JSON that its scripts read.
#pragma once

#include <vector>

#include "bench/report/result_file.hpp"

namespace crosswarp {

/// Numbers of all cells for the charts, texts for tables and details, and no samples: less than a kilobyte a cell.
Json page_data(const std::vector<ResultFile>& files);

}  // namespace crosswarp
