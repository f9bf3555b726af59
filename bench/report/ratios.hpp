// Ratios of times in comparisons, where per cents matter.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/report.hpp"
#include "core/statistics.hpp"

namespace crosswarp {

/// How many times as fast, of how many times as long: above 1 is better, as in every other table.
Ratio speedup(const Ratio& of_times);

/// `1.031 [1.028, 1.033]`; `1.031 [?]` where the interval is unknown.
std::string precise(const Ratio& ratio);

/// A line for each group of ratios, and one for all where there are several groups.
TextTable geometric_means(const std::map<std::string, std::vector<double>>& ratios, const std::string& what);

}  // namespace crosswarp
