// The context of a results file: program, versions, devices, seed, stopping rule.
#pragma once

#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "core/report.hpp"

namespace crosswarp {

/// All facts that are known before anything is timed.
Context context_of(const Options& options, const Plan& plan, Executor& executor);

/// Adds the measured memory bandwidth of each device. Takes about a second per device.
void add_measured_bandwidths(Context& context, const Options& options, const Plan& plan, Executor& executor);

}  // namespace crosswarp
