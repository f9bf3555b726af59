// Each cell is a benchmark of Google's. The first of a group to be called runs the whole group side by side; the others
// find their results there. Repetitions call again, and so run the group again.
#include "bench/shell.hpp"

#include <benchmark/benchmark.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <tuple>

#include "bench/interrupt.hpp"
#include "bench/progress.hpp"
#include "bench/resume.hpp"
#include "bench/version.hpp"
#include "core/error.hpp"
#include "core/format.hpp"

namespace crosswarp {
namespace {

std::string prefix_of(const DeviceInfo& info) { return "device." + info.key + "."; }

/// What devices reach, which takes a second of each.
void add_measured(Context& context, const Options& options, const Plan& plan, Executor& executor) {
  if (!options.run.why_untimed.empty()) return;
  for (const std::string& name : plan.backends) {
    const Backend& backend = Registry::instance().backend(name);
    const Seat& seat = executor.seat(backend);
    if (!seat.device) continue;
    std::string& fact = context[prefix_of(*seat.device) + "measured_bytes_per_second"];
    if (fact.empty()) fact = fmt::format("{:.4g}", executor.measured_bandwidth(backend));
  }
}

/// How often Google Benchmark will ask for each cell.
std::size_t repetitions(const Options& options) {
  std::size_t count = 1;
  for (const std::string& flag : options.benchmark_flags)
    if (constexpr std::string_view name = "--benchmark_repetitions="; flag.starts_with(name))
      count = std::max(1UL, std::strtoul(flag.c_str() + name.size(), nullptr, 10));
  return count;
}

/// Results of a plan as they come; where they go.
class Session {
 public:
  Session(const Options& options, const Plan& plan, Executor& executor)
      : options_(options),
        plan_(plan),
        executor_(executor),
        calls_(plan.groups.size()),
        results_(plan.groups.size()),
        progress_(options.quiet, plan.groups.size() * repetitions(options)) {
    for (std::size_t g = 0; g < plan.groups.size(); ++g) calls_[g].resize(plan.groups[g].cells.size());
    catch_interrupts();
    const bool replaces = options.force_overwrite || options.json == options.resume;
    if (!options.json.empty()) json_.emplace(options.json, replaces ? Existing::replace : Existing::refuse);
    Context context = context_of(options, plan, executor);
    if (!options.resume.empty()) earlier_ = read_earlier(options.resume, context);
    add_measured(context, options, plan, executor);
    if (ended()) {  // before the first result: the file stays as it was
      json_.reset();
      return;
    }
    context.insert(earlier_.context.begin(), earlier_.context.end());
    for (std::size_t i = 0; i < earlier_.rows.size(); ++i)
      known_[{earlier_.rows[i].name, earlier_.rows[i].repetition}] = i;
    if (json_) json_->begin(context, earlier_.rows);
    if (!options.csv.empty()) csv_.emplace(options.csv, options.counters, options.accuracy);
    if (!options.resume.empty() && !options.quiet)
      std::cerr << fmt::format("bench: {} results are in {} already\n", known_.size(), options.resume);
  }

  /// The next repetition's result of a cell. None where the user ended the run before.
  const Result* next(std::size_t group, std::size_t cell) {
    const std::size_t repetition = calls_[group][cell]++;
    if (results_[group].size() <= repetition && !ended()) run(group, repetition);
    return results_[group].size() <= repetition ? nullptr : &results_[group][repetition][cell];
  }

  /// Reads the counters of all that was timed. Only now: what reads them changes what is timed after it.
  void count() {
    if (options_.counters.empty()) return;
    std::set<std::string> why_not;  // each told once, however many cells it holds for
    progress_ = Progress(options_.quiet, results_.size());
    for (std::size_t group = 0; group < results_.size() && !ended(); ++group) {
      if (results_[group].empty()) continue;
      std::vector<Result>& first = results_[group].front();
      std::vector<Result> uncounted;
      std::vector<std::size_t> places;
      for (std::size_t cell = 0; cell < first.size(); ++cell)
        if (first[cell].time() && !first[cell].counters) {
          uncounted.push_back(first[cell]);
          places.push_back(cell);
        }
      progress_.begin(plan_.groups[group], uncounted.size(), "counters");
      if (!uncounted.empty()) executor_.count(uncounted);
      progress_.done(!uncounted.empty());
      for (std::size_t i = 0; i < places.size(); ++i) first[places[i]] = uncounted[i];
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
    std::map<std::tuple<const ExperimentEntry*, std::string, Mode, LaunchBy>, std::vector<Result>> series;
    const auto add = [&](const Result& result) {
      series[{result.cell.experiment, result.device.name, result.mode, result.launch_by}].push_back(result);
    };
    for (const auto& group : results_)
      if (!group.empty()) std::for_each(group.front().begin(), group.front().end(), add);
    for (const auto& [name, place] : known_)  // those that this run did not ask for
      if (name.second == 0) add(earlier_.results[place]);
    for (const auto& [of, results] : series) {
      const auto& [experiment, device, mode, launch_by] = of;
      const std::vector<Finding> findings = experiment->findings(outcomes(results));
      if (findings.empty()) continue;
      if (json_) json_->add(Conclusion{experiment->name, to_string(mode, launch_by), device, findings});
      if (!prints_tables) continue;
      std::cout << fmt::format("{}  {}  |  {}: what follows\n", experiment->name, to_string(mode, launch_by), device);
      for (const Finding& finding : findings) std::cout << "  " << to_string(finding) << "\n";
      std::cout << std::endl;
    }
  }

  void finish() {
    if (json_) json_->finish();
  }

  /// Whether the user ended it, or nobody can read what it prints.
  static bool ended() { return interrupted() || !std::cout; }

  /// Says how to go on after an interruption.
  void say_how_to_go_on() const {
    std::cerr << "bench: interrupted; "
              << (json_ ? fmt::format("what was done is in {0}: bench --resume {0} goes on\n", options_.json)
                  : options_.json.empty() ? "nothing was kept: only runs with --json FILE can go on\n"
                                          : "before its first result\n");
  }

  bool all_well() const { return all_well_; }
  bool prints_tables = true;

 private:
  void run(std::size_t group, std::size_t repetition) {
    const Group& g = plan_.groups[group];
    std::vector<Result> results(g.cells.size());
    std::vector<Cell> cells;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < g.cells.size(); ++i)
      if (auto kept = take_known(g, g.cells[i], repetition)) {
        results[i] = std::move(*kept);
      } else if (const Result* skipped = plan_.skipped(g.cells[i])) {
        results[i] = *skipped;
        results[i].mode = g.mode;
        results[i].launch_by = g.launch_by;
        results[i].repetition = repetition;
        if (json_) json_->add(results[i]);
      } else {
        cells.push_back(g.cells[i]);
        places.push_back(i);
      }
    progress_.begin(g, cells.size(), "times");
    executor_.watch = [&](const Position& p) { progress_.show(p.placement, options_.run.stop.placements); };
    std::vector<Result> fresh;
    if (!cells.empty()) fresh = executor_.run(cells, g.mode, plan_.backends, g.launch_by);
    executor_.watch = nullptr;
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      results[places[i]] = std::move(fresh[i]);
      results[places[i]].repetition = repetition;
      if (json_) json_->add(results[places[i]]);
    }
    if (fresh.size() < cells.size()) return progress_.done(true);  // interrupted
    if (options_.accuracy) {
      add_accuracy(executor_, results);
      if (json_) std::for_each(results.begin(), results.end(), [&](const Result& result) { json_->add(result); });
    }
    progress_.done(!cells.empty());
    for (const Result& result : results) {
      all_well_ = all_well_ && (result.status == Status::ok || result.status == Status::skipped);
      if (csv_ && options_.counters.empty()) csv_->add(result);  // else when they are known
    }
    if (prints_tables) std::cout << table(results, stdout_) << std::endl;
    results_[group].push_back(std::move(results));
  }

  /// A result of the earlier run that holds for this one.
  std::optional<Result> take_known(const Group& group, const Cell& cell, std::size_t repetition) {
    const auto found = known_.find({group.name_of(cell), repetition});
    if (found == known_.end()) return {};
    Result& result = earlier_.results[found->second];
    known_.erase(found);
    if (!is_finished(result)) return {};
    if (const auto& device = executor_.seat(*cell.backend).device; device && !result.device.name.empty())
      result.device = *device;
    return std::move(result);
  }

  const Options& options_;
  const Plan& plan_;
  Executor& executor_;
  std::vector<std::vector<std::size_t>> calls_;            // by group and cell
  std::vector<std::vector<std::vector<Result>>> results_;  // by group, repetition and cell
  Earlier earlier_;
  std::map<std::pair<std::string, std::size_t>, std::size_t> known_;  // in `earlier_`, not yet taken
  std::optional<JsonFile> json_;
  std::optional<CsvFile> csv_;
  Terminal stdout_ = Terminal::of(STDOUT_FILENO);
  Progress progress_;
  bool all_well_ = true;
};

void report_to(benchmark::State& state, const Result* given) {
  if (!given || !given->time()) {
    state.SkipWithError(given ? given->label().c_str() : "interrupted");
    return;
  }
  const Result& result = *given;
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

Context context_of(const Options& options, const Plan& plan, Executor& executor) {
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
                  {"placements", std::to_string(options.run.stop.placements)},
                  {"request", options.request}};
  std::string backends;
  for (const std::string& name : plan.backends) {
    backends += (backends.empty() ? "" : ",") + name;
    const Backend& backend = Registry::instance().backend(name);
    for (const auto& [what, is] : backend.versions()) context[what] = is;
    const Seat& seat = executor.seat(backend);
    if (!seat.device) continue;
    const DeviceInfo& info = *seat.device;
    const std::string prefix = prefix_of(info);
    for (const auto& [what, is] : info.versions) context[prefix + what] = is;
    context[prefix + "name"] = info.name;
    context[prefix + "architecture"] = info.architecture;
    context[prefix + "memory_bytes"] = std::to_string(info.memory);
    context[prefix + "cache_bytes"] = std::to_string(info.cache);
    context[prefix + "compute_units"] = std::to_string(info.compute_units);
    if (info.clock > 0) context[prefix + "clock_mhz"] = fmt::format("{:.0f}", info.clock / 1e6);
    if (info.peak("memory") > 0)
      context[prefix + "theoretical_bytes_per_second"] = fmt::format("{:.4g}", info.peak("memory"));
  }
  context["backends"] = backends;
  return context;
}

int run_benchmarks(const Options& options, const Plan& plan, Executor& executor) {
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

  Session session(options, plan, executor);
  session.prints_tables = !wants_format;
  for (std::size_t g = 0; g < plan.groups.size(); ++g)
    for (std::size_t c = 0; c < plan.groups[g].cells.size(); ++c) {
      const std::string name = plan.groups[g].name_of(plan.groups[g].cells[c]);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [&session, g, c](benchmark::State& state) { report_to(state, session.next(g, c)); })
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  NoReporter none;
  benchmark::RunSpecifiedBenchmarks(wants_format ? nullptr : &none);
  session.count();
  if (!Session::ended()) session.conclude();
  session.finish();
  if (interrupted()) return session.say_how_to_go_on(), 128 + interrupted();
  return session.all_well() ? 0 : 1;
}

}  // namespace crosswarp
