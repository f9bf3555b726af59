// Ratios of times in comparisons, to a tenth of a per cent.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/report.hpp"
#include "core/statistics.hpp"

namespace crosswarp {

/// Turns a ratio of times into one of speeds: above 1 is faster, as in every table.
Ratio speedup(const Ratio& of_times);

/// `1.031 [1.028, 1.033]`; `1.031 [?]` where the interval is unknown.
std::string precise(const Ratio& ratio);

/// A row for each group of ratios, and one for all if there are several groups.
TextTable geometric_means(const std::map<std::string, std::vector<double>>& ratios, const std::string& what);

}  // namespace crosswarp
