// What the user asked for.
#pragma once

#include <string>
#include <vector>

#include "bench/report/compare.hpp"
#include "bench/report/report.hpp"
#include "core/registry.hpp"
#include "core/runner.hpp"

namespace crosswarp {

struct Options {
  enum class Action { run, list, dry_run, verify, devices, measure, report, compare, profile, nothing };
  Action action = Action::run;
  Filter filter;
  std::vector<Mode> modes;
  std::vector<LaunchBy> launch_by;
  RunOptions run;
  std::string profile;                   ///< The id of the cell to profile.
  std::vector<const Counter*> counters;  ///< Read after timing.
  bool accuracy = false;                 ///< Measured after timing, or after --verify.
  std::string json, csv;
  bool force_overwrite = false;  ///< Of `json` and `csv`.
  bool quiet = false;
  std::string resume;                ///< The file whose cells are kept.
  std::string request;               ///< Which cells and how they are measured, for a run that goes on.
  std::vector<std::string> modules;  ///< Loaded already.
  bool in_process = false;           ///< No workers.
  double hang_limit = 300;           ///< Seconds without a sign of life after which a worker is ended.
  std::string worker;                ///< This process is one: the descriptors that it got.

  ReportRequest report;
  CompareOptions comparison;

  std::string program;
  std::vector<std::string> arguments;        ///< All of them, from the program on.
  std::vector<std::string> benchmark_flags;  ///< `--benchmark_*`, for Google Benchmark.
};

/// Reads the command line. Prints help and asks for nothing more where that is what the user wants. Throws Error, in
/// one line, for everything that does not fit.
Options parse(int argc, char** argv);

}  // namespace crosswarp
