// Google Benchmark around our own sampler: its registration, repetitions, flags and formats.
#pragma once

#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "core/report.hpp"

namespace crosswarp {

/// Runs a plan, but for what `--resume` finds done. Returns the exit code: 128 and the signal's number where one ended
/// it.
int run_benchmarks(const Options& options, const Plan& plan, Executor& executor);

/// What is known before anything is timed: program, versions, devices, seed.
Context context_of(const Options& options, const Plan& plan, Executor& executor);

}  // namespace crosswarp
