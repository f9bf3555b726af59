// Replays measured results: each row is registered as a benchmark that only looks up its time. Google Benchmark
// aggregates, formats and writes them as its flags ask.
#include "bench/google_benchmark.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <regex>
#include <string_view>

#include "core/error.hpp"
#include "core/names.hpp"

namespace crosswarp {
namespace {

/// A flag of Google Benchmark's, and the values that it takes.
struct GoogleFlag {
  const char *name, *values, *meaning;
};

constexpr const char *truth = "true|false|yes|no|on|off|1|0", *truth_meaning = "true or false",
                     *seconds = "[0-9]+(\\.[0-9]*)?(e[-+]?[0-9]+)?", *seconds_meaning = "a number of seconds",
                     *format = "console|json|csv", *format_meaning = "console, json or csv";
constexpr GoogleFlag google_flags[] = {
    {"--benchmark_color", "auto|true|false|yes|no|on|off|1|0", "auto, true or false"},
    {"--benchmark_context", "[^=,]+=[^=,]+(,[^=,]+=[^=,]+)*", "KEY=VALUE"},
    {"--benchmark_counters_tabular", truth, truth_meaning},
    {"--benchmark_display_aggregates_only", truth, truth_meaning},
    {"--benchmark_enable_random_interleaving", truth, truth_meaning},
    {"--benchmark_filter", ".*", "a regular expression"},
    {"--benchmark_format", format, format_meaning},
    {"--benchmark_list_tests", truth, truth_meaning},
    {"--benchmark_min_time", seconds, seconds_meaning},
    {"--benchmark_out", ".+", "a file"},
    {"--benchmark_out_format", format, format_meaning},
    {"--benchmark_repetitions", "[1-9][0-9]{0,5}", "a number from 1 to 999999"},
    {"--benchmark_report_aggregates_only", truth, truth_meaning},
    {"--benchmark_time_unit", "ns|us|ms|s", "ns, us, ms or s"},
};

/// Whether a flag of truth is given, and not as false.
bool is_on(const std::string& flag, const std::string& name) {
  if (!flag.starts_with(name) || (flag.size() > name.size() && flag[name.size()] != '=')) return false;
  const std::string value = flag.substr(std::min(flag.size(), name.size() + 1));
  return value != "false" && value != "no" && value != "off" && value != "0";
}

/// `result`: null after an interruption.
void replay(benchmark::State& state, const Result* result) {
  if (!result || !result->time()) {
    state.SkipWithError(result ? result->label().c_str() : "interrupted");
    return;
  }
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(*result->time());
  state.SetLabel(result->label());
  const auto count = [&](const char* name, std::optional<double> value) {
    if (value) state.counters[name] = *value;
  };
  count("bytes_per_second", result->bytes_per_second());
  count("flops_per_second", result->flops_per_second());
  for (const Observation& o : result->observed) count(o.name.c_str(), o.value);
  count("of_measured_peak", result->of_measured_peak());
  count("of_theoretical_peak", result->of_theoretical_peak());
  count("samples", static_cast<double>(flatten(result->measurement.seconds).size()));
  count("spread", spread(flatten(result->measurement.seconds)));
}

/// For --benchmark_out alone: the tables are on the display.
class NoDisplay final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const benchmark::BenchmarkReporter::Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

}  // namespace

void check_google_flags(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    const std::string name = flag.substr(0, flag.find('='));
    const auto known = std::ranges::find(google_flags, name, &GoogleFlag::name);
    if (known == std::end(google_flags)) {
      std::vector<std::string> names;
      for (const GoogleFlag& each : google_flags) names.emplace_back(each.name);
      throw Error(fmt::format("{}: {}", name, did_you_mean(name, names)));
    }
    const bool has_value = flag.size() > name.size();
    if (!has_value && std::string_view(known->values) == truth) continue;
    const std::string value = has_value ? flag.substr(name.size() + 1) : "";
    if (!has_value || !std::regex_match(value, std::regex(known->values)))
      throw Error(fmt::format("{}={}: the value must be {}", name, value, known->meaning));
  }
}

GoogleBenchmark::GoogleBenchmark(const Options& options) {
  repetitions_ = std::max(1UL, std::strtoul(options.benchmark_flag("--benchmark_repetitions").c_str(), nullptr, 10));
  static std::vector<std::string> flags;  // Google Benchmark keeps a pointer to the first
  flags = {options.program, fmt::format("--benchmark_repetitions={}", repetitions_)};
  for (const std::string& flag : options.benchmark_flags) {
    only_lists_ = only_lists_ || is_on(flag, "--benchmark_list_tests");
    formats_output_ = formats_output_ || flag.starts_with("--benchmark_format");
    writes_file_ = writes_file_ || flag.starts_with("--benchmark_out=");
    // The plan applies the filter, to names without the suffixes that Google Benchmark adds.
    if (!flag.starts_with("--benchmark_filter")) flags.push_back(flag);
  }
  std::vector<char*> argv;
  for (std::string& flag : flags) argv.push_back(flag.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(flags.size());
  benchmark::Initialize(&argc, argv.data());
  if (argc > 1) throw Error(fmt::format("{}: not a flag of Google Benchmark", argv[1]));
}

void GoogleBenchmark::report(const Plan& plan, const std::vector<Repetitions>& results) const {
  if (!only_lists_ && !formats_output_ && !writes_file_) return;
  for (std::size_t g = 0; g < plan.groups.size(); ++g)
    for (std::size_t c = 0; c < plan.groups[g].cells.size(); ++c) {
      const auto next = [of_group = g < results.size() ? &results[g] : nullptr, c,
                         repetition = std::size_t{0}](benchmark::State& state) mutable {
        const bool is_there = of_group && repetition < of_group->size();
        replay(state, is_there ? &(*of_group)[repetition][c] : nullptr);
        ++repetition;
      };
      benchmark::RegisterBenchmark(plan.groups[g].name_of(plan.groups[g].cells[c]).c_str(), next)
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  NoDisplay none;
  benchmark::RunSpecifiedBenchmarks(only_lists_ || formats_output_ ? nullptr : &none);
}

}  // namespace crosswarp
