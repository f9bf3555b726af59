// What random points say of each rung: its ratios in one line, with the worst point.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"

namespace crosswarp {

/// `reduce_sum`; of a random point `reduce_sum, random, multiples of 8`: what results are averaged over.
std::string averaging_group(const Result& result);

/// For each half of the sample and each rung, over the random points where it has a time: geometric mean and least of a
/// ratio to the fastest library at that point; without a library to the fastest rung; for a single rung, of its share
/// of the measured peak. Above 1 is faster than the library. `series`: ratio and work (operations; bytes or accesses
/// where there are none) of each point. Results of one experiment, device and mode; others than random points are left
/// out.
std::vector<Finding> random_findings(const std::vector<Result>& results);

}  // namespace crosswarp
