// Google Benchmark around our own sampler: its registration, repetitions, flags and formats.
#pragma once

#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "core/report.hpp"

namespace crosswarp {

/// Runs a plan. Returns the exit code.
int run_benchmarks(const Options& options, const Plan& plan, Runner& runner);

/// What is known before anything runs: program, versions, devices, seed.
Context context_of(const Options& options, const Plan& plan, Runner& runner);

}  // namespace crosswarp
