// Actions without timing: lists, plans, verification, devices.
#pragma once

#include "bench/options.hpp"
#include "bench/plan.hpp"

namespace crosswarp {

/// Prints the variants that the filter selects. Opens no device.
void print_list(const Filter& filter);
/// Writes them with all their properties as a JSON array. Throws Error if the file cannot be written.
void write_list(const Filter& filter, const std::string& path);
/// Prints the cells of the plan, with reasons for skipping.
void print_plan(const Plan& plan, Runner& runner);
/// Verifies the cells of the plan; with `accuracy`, measures the errors of correct ones. Returns the exit code.
int print_verdicts(const Plan& plan, Executor& executor, bool accuracy);
/// Prints the meaning and unit of each hardware counter.
void print_counters();
/// Launches the cell of `options.profile` for a profiler. Returns the exit code. Throws Error, with the nearest match,
/// for an unknown cell.
int profile_cell(const Options& options);

/// The command line of profile_cell() for a cell of a run with these options: in the same modules, on the same device,
/// with the same inputs. Empty where ranks are processes.
std::vector<std::string> profile_command(const Options& options, const Cell& cell, Mode mode);
/// Prints the devices of each backend and their theoretical peaks.
void print_devices();

}  // namespace crosswarp
