// The command line as data.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report/compare/compare.hpp"
#include "bench/report/report.hpp"
#include "core/registry.hpp"
#include "core/runner.hpp"

namespace crosswarp {

struct Options {
  enum class Action {
    run,
    list,
    dry_run,
    verify,
    profile,
    devices,
    measure,
    report,
    store,
    compare,
    explain_counters,
    print_text
  };
  Action action = Action::run;
  std::string text;  ///< For print_text: help, version, manual, completions.

  Filter filter;
  std::string cells;  ///< The file that names the cells; empty for `filter`, `modes` and `launch_by`.
  std::vector<Mode> modes;
  std::vector<LaunchBy> launch_by;
  RunOptions run;
  bool tunes = false;                    ///< Searches tunings, instead of timing all cells alike.
  std::string tuning_output;             ///< The table of tunings; empty for the user's.
  bool tour = false;                     ///< Each experiment at its headline point, instead of all cells.
  std::optional<double> budget;          ///< Wall time for the whole run, in seconds.
  std::string profile;                   ///< The id of the cell to profile.
  std::vector<const Counter*> counters;  ///< Read after timing.
  bool energy = false;                   ///< Measured after timing.
  bool accuracy = false;                 ///< Measured after timing, or after --verify.
  std::string json, csv;                 ///< Output files; empty for none. KeptResults has a default.
  bool force_overwrite = false;          ///< Of `json`, `csv` and --benchmark_out.
  bool quiet = false;
  std::string resume;                        ///< The results file to continue.
  bool resumes_last_run = false;             ///< --resume without a file.
  std::string request;                       ///< The arguments that --resume repeats: cells and how they are measured.
  std::vector<std::string> modules;          ///< Loaded before parse().
  bool in_process = false;                   ///< No workers.
  double hang_limit = 300;                   ///< Seconds without progress after which a worker is killed.
  std::string worker;                        ///< File descriptors of a worker process; empty in the main process.
  std::vector<std::string> benchmark_flags;  ///< `--benchmark_*`, for Google Benchmark.

  ReportRequest report;
  std::vector<std::string> to_store;  ///< Files of bench store.
  CompareOptions comparison;

  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();  ///< Of the program.
  std::string program;
  std::vector<std::string> arguments;  ///< The whole command line, program included.

  /// The value of the last `<name>=<value>` in benchmark_flags; empty for none.
  std::string benchmark_flag(std::string_view name) const;
};

/// Modules to load before parse(): backends, experiments, variants and axes in the options may come from them.
struct ModuleRequest {
  std::vector<std::string> paths;
  double hang_limit = Options().hang_limit;
};
ModuleRequest module_request(const std::vector<std::string>& arguments);

/// Parses a command line, program included. Throws Error, in one line.
Options parse(const std::vector<std::string>& arguments);

/// The command line of a resumed run: `arguments` in addition to the request of the earlier run, which they override.
/// With --experiment in `arguments` that run's points and variants are left out.
std::vector<std::string> resumed(const std::vector<std::string>& arguments, const std::string& request);

}  // namespace crosswarp
