// Each cell is a benchmark of Google's. The first of a group to be called runs the whole group side by side; the others
// find their results there. Repetitions call again, and so run the group again.
#include "bench/shell.hpp"

#include <benchmark/benchmark.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <iostream>
#include <map>
#include <set>
#include <tuple>

#include "bench/version.hpp"
#include "core/error.hpp"
#include "core/format.hpp"

namespace crosswarp {
namespace {

/// Results of a plan as they come; where they go.
class Session {
 public:
  Session(const Options& options, const Plan& plan, Runner& runner)
      : options_(options), plan_(plan), runner_(runner), calls_(plan.groups.size()), results_(plan.groups.size()) {
    if (!options.json.empty()) json_.emplace(options.json, context_of(options, plan, runner));
    if (!options.csv.empty()) csv_.emplace(options.csv, options.counters);
    for (std::size_t g = 0; g < plan.groups.size(); ++g) calls_[g].resize(plan.groups[g].cells.size());
  }

  /// The next repetition's result of a cell.
  const Result& next(std::size_t group, std::size_t cell) {
    const std::size_t repetition = calls_[group][cell]++;
    if (results_[group].size() <= repetition) run(group, repetition);
    return results_[group][repetition][cell];
  }

  /// Reads the counters of all that was timed. Only now: what reads them changes what is timed after it.
  void count() {
    if (options_.counters.empty()) return;
    std::set<std::string> why_not;  // each told once, however many cells it holds for
    for (std::size_t group = 0; group < results_.size(); ++group) {
      if (results_[group].empty()) continue;
      show_progress(group, "counters");
      std::vector<Result>& first = results_[group].front();
      runner_.count(first, options_.counters);
      clear_progress();
      for (std::vector<Result>& repetition : results_[group])
        for (std::size_t cell = 0; cell < repetition.size(); ++cell) {
          if (repetition[cell].time()) {
            repetition[cell].counters = first[cell].counters;
            repetition[cell].kernel = first[cell].kernel;
          }
          if (json_) json_->add(repetition[cell]);
          if (csv_) csv_->add(repetition[cell]);
        }
      for (const Result& result : first)
        if (result.counters && !result.counters->why_not.empty()) why_not.insert(result.counters->why_not);
      if (prints_tables) std::cout << counters_table(first, stdout_) << std::endl;
    }
    for (const std::string& why : why_not) std::cerr << "bench: no counters: " << why << "\n";
  }

  /// Tells what follows from the results of several points.
  void conclude() {
    std::map<std::tuple<const ExperimentEntry*, std::string, Mode>, std::vector<Result>> series;
    for (std::size_t group = 0; group < results_.size(); ++group)
      if (!results_[group].empty())
        for (const Result& result : results_[group].front())
          series[{result.cell.experiment, result.device.name, plan_.groups[group].mode}].push_back(result);
    for (const auto& [of, results] : series) {
      const auto& [experiment, device, mode] = of;
      const std::vector<std::string> findings = experiment->findings(outcomes(results));
      if (findings.empty()) continue;
      if (json_) json_->add(Conclusion{experiment->name, to_string(mode), device, findings});
      if (!prints_tables) continue;
      std::cout << fmt::format("{}  {}  |  {}: what follows\n", experiment->name, to_string(mode), device);
      for (const std::string& line : findings) std::cout << "  " << line << "\n";
      std::cout << std::endl;
    }
  }

  void finish() {
    clear_progress();
    if (json_) json_->finish();
  }

  bool all_well() const { return all_well_; }
  bool prints_tables = true;

 private:
  void run(std::size_t group, std::size_t repetition) {
    show_progress(group, "times");
    const Group& g = plan_.groups[group];
    std::vector<Result> results = runner_.run(g.cells, g.mode, plan_.backends);
    clear_progress();
    for (Result& result : results) {
      result.repetition = repetition;
      all_well_ = all_well_ && (result.status == Status::ok || result.status == Status::skipped);
      if (json_) json_->add(result);
      if (csv_ && options_.counters.empty()) csv_->add(result);  // else when they are known
    }
    if (prints_tables) std::cout << table(results, stdout_) << std::endl;
    results_[group].push_back(std::move(results));
  }

  void show_progress(std::size_t group, const char* what) const {
    if (options_.quiet || stderr_.width == 0) return;
    const Group& g = plan_.groups[group];
    const std::string line =
        fmt::format("[{}/{}] {} {} {}: {} of {} rungs", group + 1, plan_.groups.size(), g.cells[0].experiment->name,
                    g.cells[0].point.name(), to_string(g.mode), what, g.cells.size());
    std::cerr << "\r" << line.substr(0, stderr_.width - 1) << "\033[K" << std::flush;
  }
  void clear_progress() const {
    if (!options_.quiet && stderr_.width) std::cerr << "\r\033[K" << std::flush;
  }

  const Options& options_;
  const Plan& plan_;
  Runner& runner_;
  std::vector<std::vector<std::size_t>> calls_;            // by group and cell
  std::vector<std::vector<std::vector<Result>>> results_;  // by group, repetition and cell
  std::optional<JsonFile> json_;
  std::optional<CsvFile> csv_;
  Terminal stdout_ = Terminal::of(STDOUT_FILENO), stderr_ = Terminal::of(STDERR_FILENO);
  bool all_well_ = true;
};

void report_to(benchmark::State& state, const Result& result) {
  if (!result.time()) {
    state.SkipWithError(result.label().c_str());
    return;
  }
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(*result.time());
  state.SetLabel(result.label());
  const auto count = [&](const char* name, std::optional<double> value) {
    if (value) state.counters[name] = *value;
  };
  count("bytes_per_second", result.bytes_per_second());
  count("flops_per_second", result.flops_per_second());
  for (const Observation& o : result.observed) count(o.name.c_str(), o.value);
  count("of_measured_peak", result.of_measured_peak());
  count("of_theoretical_peak", result.of_theoretical_peak());
  count("samples", static_cast<double>(flatten(result.measurement.seconds).size()));
  count("spread", spread(flatten(result.measurement.seconds)));
}

/// Our tables are printed by the session.
class NoReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const benchmark::BenchmarkReporter::Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

}  // namespace

Context context_of(const Options& options, const Plan& plan, Runner& runner) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  Context context{{"date", fmt::format("{:%FT%T+00:00}", fmt::gmtime(std::time(nullptr)))},
                  {"host_name", host.data()},
                  {"executable", options.program},
                  {"library", "crosswarp"},
                  {"version", version()},
                  {"commit", commit()},
                  {"library_build_type", build_type()},
                  {"seed", std::to_string(options.run.seed)},
                  {"min_time_s", fmt::format("{}", options.run.stop.min_time)},
                  {"precision", fmt::format("{}", options.run.stop.precision)},
                  {"placements", std::to_string(options.run.stop.placements)}};
  std::string backends;
  for (const std::string& name : plan.backends) {
    backends += (backends.empty() ? "" : ",") + name;
    const Backend& backend = Registry::instance().backend(name);
    for (const auto& [what, is] : backend.versions()) context[what] = is;
    Device* device = runner.place(backend).device;
    if (!device) continue;
    const DeviceInfo& info = device->info();
    const std::string prefix = "device." + info.key + ".";
    for (const auto& [what, is] : info.versions) context[prefix + what] = is;
    context[prefix + "name"] = info.name;
    context[prefix + "architecture"] = info.architecture;
    context[prefix + "memory_bytes"] = std::to_string(info.memory);
    context[prefix + "cache_bytes"] = std::to_string(info.cache);
    context[prefix + "compute_units"] = std::to_string(info.compute_units);
    if (info.clock > 0) context[prefix + "clock_mhz"] = fmt::format("{:.0f}", info.clock / 1e6);
    if (info.peak("memory") > 0)
      context[prefix + "theoretical_bytes_per_second"] = fmt::format("{:.4g}", info.peak("memory"));
    if (options.run.why_untimed.empty() && !context.contains(prefix + "measured_bytes_per_second"))
      context[prefix + "measured_bytes_per_second"] = fmt::format("{:.4g}", runner.measured_bandwidth(*device));
  }
  context["backends"] = backends;
  return context;
}

int run_benchmarks(const Options& options, const Plan& plan, Runner& runner) {
  std::vector<std::string> flags{options.program};
  flags.insert(flags.end(), options.benchmark_flags.begin(), options.benchmark_flags.end());
  std::vector<char*> argv;
  for (std::string& flag : flags) argv.push_back(flag.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(flags.size());
  bool wants_format = false;
  for (const std::string& flag : options.benchmark_flags)
    wants_format = wants_format || flag.starts_with("--benchmark_format") || flag.starts_with("--benchmark_list_tests");
  benchmark::Initialize(&argc, argv.data());
  if (argc > 1) throw Error(fmt::format("{}: not a flag of Google Benchmark", argv[1]));

  Session session(options, plan, runner);
  session.prints_tables = !wants_format;
  for (std::size_t g = 0; g < plan.groups.size(); ++g)
    for (std::size_t c = 0; c < plan.groups[g].cells.size(); ++c) {
      const std::string name = plan.groups[g].cells[c].id() + "/" + to_string(plan.groups[g].mode);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [&session, g, c](benchmark::State& state) { report_to(state, session.next(g, c)); })
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  NoReporter none;
  benchmark::RunSpecifiedBenchmarks(wants_format ? nullptr : &none);
  session.count();
  session.conclude();
  session.finish();
  return session.all_well() ? 0 : 1;
}

}  // namespace crosswarp
