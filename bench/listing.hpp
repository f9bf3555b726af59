// What there is, what would run, what is right, what is here: everything but timing.
#pragma once

#include "bench/options.hpp"
#include "bench/plan.hpp"

namespace crosswarp {

/// Every variant that the filter selects; touches no device.
void print_list(const Filter& filter);
/// The same, with all that their files say of them, as a JSON array. Throws Error where the file cannot be written.
void write_list(const Filter& filter, const std::string& path);
/// Every cell of the plan, and why it would be skipped.
void print_plan(const Plan& plan, Runner& runner);
/// Verifies every cell of the plan; with `accuracy`, also measures the errors of those that are right. Returns the exit
/// code.
int print_verdicts(const Plan& plan, Executor& executor, bool accuracy);
/// What each hardware counter says, and its unit.
void print_counters();
/// Launches the cell of `options.profile` for a profiler that watches. Returns the exit code. Throws Error, with the
/// nearest match, where there is no such cell.
int profile_cell(const Options& options);
/// The devices of each backend and their theoretical peaks.
void print_devices();

}  // namespace crosswarp
