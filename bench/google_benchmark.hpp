// Google Benchmark's flags and output formats, for results that are already measured.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "bench/plan.hpp"

namespace crosswarp {

/// Throws Error for a `--benchmark_*` flag that Google Benchmark lacks, and for a value that the flag does not take.
/// Google Benchmark itself would print its usage and exit.
void check_google_flags(const std::vector<std::string>& flags);

/// Results of a group, by repetition and cell. Fewer repetitions than planned after an interruption.
using Repetitions = std::vector<std::vector<Result>>;

class GoogleBenchmark {
 public:
  /// Parses the `--benchmark_*` flags. Throws Error for an unknown one.
  explicit GoogleBenchmark(const Options& options);

  /// --benchmark_repetitions; 1 by default.
  std::size_t repetitions() const { return repetitions_; }
  /// --benchmark_list_tests: names only, nothing runs.
  bool only_lists() const { return only_lists_; }
  /// --benchmark_format: standard output is in its format, in place of tables.
  bool formats_output() const { return formats_output_; }

  /// Prints names, or results with aggregates over repetitions, and writes --benchmark_out. `results`: by group. Does
  /// nothing without one of these flags.
  void report(const Plan& plan, const std::vector<Repetitions>& results) const;

 private:
  std::size_t repetitions_ = 1;
  bool only_lists_ = false, formats_output_ = false, writes_file_ = false;
};

}  // namespace crosswarp
