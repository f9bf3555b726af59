// The run: times a plan's groups one after the other, prints and keeps their results.
#pragma once

#include "bench/executor.hpp"
#include "bench/options.hpp"
#include "bench/plan.hpp"

namespace crosswarp {

/// Runs a plan, except for the cells that `--resume` finds finished. Returns the exit code: 128 plus the signal's
/// number after a signal.
int run_benchmarks(const Options& options, const Plan& plan, Executor& executor);

}  // namespace crosswarp
