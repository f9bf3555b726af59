// The context of a results file: program, versions, devices, seed, stopping rule.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "core/report.hpp"

namespace crosswarp {

/// All facts that are known before anything is timed.
Context context_of(const Options& options, const Plan& plan, Executor& executor);

/// Adds the measured memory bandwidth of each device. Takes about a second per device.
void add_measured_bandwidths(Context& context, const Options& options, const Plan& plan, Executor& executor);

/// A warning where other processes use much of a device; else empty.
std::string warning_of_use(const DeviceInfo& device, std::optional<double> by_others);

/// Adds the share of each device that other processes use, as `used_by_others_<when>`: measured since the last call, or
/// since the device was opened. Returns a warning for each device that is busy.
std::vector<std::string> add_use_by_others(Context& context, const std::string& when, const Plan& plan,
                                           Executor& executor);

}  // namespace crosswarp
