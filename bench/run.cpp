// One loop over points and repetitions; the executor times the rows of a point side by side, in rounds.
#include "bench/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/context.hpp"
#include "bench/google_benchmark.hpp"
#include "bench/interrupt.hpp"
#include "bench/kept_results.hpp"
#include "bench/progress.hpp"
#include "bench/report/output.hpp"
#include "bench/resume.hpp"
#include "bench/schedule.hpp"
#include "bench/tour.hpp"
#include "bench/tune.hpp"
#include "bench/version.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/noise.hpp"
#include "core/random_findings.hpp"
#include "core/tuning_search.hpp"

namespace crosswarp {
namespace {

constexpr double tour_seconds = 55;

/// Results of an earlier run, by name and repetition.
class KnownResults {
 public:
  KnownResults() = default;
  explicit KnownResults(Earlier& earlier) {
    for (std::size_t i = 0; i < earlier.rows.size(); ++i)
      results_.try_emplace({earlier.rows[i].name, earlier.rows[i].repetition}, std::move(earlier.results[i]));
  }

  std::size_t size() const { return results_.size(); }
  /// Results of other builds than the one of `commit`.
  std::size_t of_other_commits(const std::string& commit) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        results_, [&](const auto& known) { return !known.second.commit.empty() && known.second.commit != commit; }));
  }
  /// Removes and returns a result. None if it is unknown or failed: the cell runs again.
  std::optional<Result> take(const std::string& name, std::size_t repetition) {
    const auto node = results_.extract({name, repetition});
    if (node.empty() || !is_finished(node.mapped())) return {};
    return std::move(node.mapped());
  }
  /// First repetitions of the cells that are not part of this run.
  std::vector<Result> rest() const {
    std::vector<Result> rest;
    for (const auto& [key, result] : results_)
      if (key.second == 0) rest.push_back(result);
    return rest;
  }

 private:
  std::map<std::pair<std::string, std::size_t>, Result> results_;
};

/// The JSON file, the CSV file and the terminal.
struct Outputs {
  std::optional<KeptResults> json;
  std::optional<CsvFile> csv;
  bool prints_tables = true;
  Terminal terminal = Terminal::of(STDOUT_FILENO);

  void keep(const Result& result) { json->add(result); }
  void print(const std::string& table) const {
    if (prints_tables) std::cout << table << std::endl;
  }
};

class Run {
 public:
  Run(const Options& options, const Plan& plan, Executor& executor)
      : options_(options),
        plan_(plan),
        executor_(executor),
        google_(options),
        progress_(false, 0),
        results_(plan.groups.size()) {
    outputs_.prints_tables = !google_.formats_output();
  }

  /// Returns the exit code.
  int run() {
    if (google_.only_lists()) return google_.report(plan_, {}), 0;
    const std::vector<Group> to_search = options_.tunes ? searches(plan_) : std::vector<Group>{};
    catch_interrupts();
    open_outputs();
    if (options_.tunes)
      run_searches(to_search);
    else
      options_.tour ? run_tour() : run_plan();
    if (options_.energy) measure_energy();
    if (!options_.counters.empty()) count();
    if (outputs_.csv && has_more_to_measure())
      for (const Repetitions& group : results_)
        for (const std::vector<Result>& rows : group)
          for (const Result& row : rows) outputs_.csv->add(row);
    if (options_.tunes)
      keep_tunings();
    else if (!ended())
      options_.tour ? print_overview() : print_findings();
    if (!options_.quiet && !ended()) say_where_the_time_went();
    if (!ended()) tell_noise();
    google_.report(plan_, results_);
    outputs_.json->finish();
    say_where_results_are();
    return interrupted() ? 128 + interrupted() : has_bad_result_ ? 1 : 0;
  }

 private:
  /// Opens the files and writes the context. If the user ends the run before it begins, files stay as they were.
  void open_outputs() {
    outputs_.json.emplace(options_);
    Context context = context_of(options_, plan_, executor_);
    date_ = context.at("date");
    Earlier earlier;
    if (!options_.resume.empty()) earlier = read_earlier(options_.resume, context);
    add_measured_bandwidths(context, options_, plan_, executor_);
    for (const std::string& warning : add_use_by_others(context, "before", plan_, executor_))
      if (!options_.quiet) say(warning);
    if (ended()) return outputs_.json->abandon();
    outputs_.json->begin(continued(context, earlier.context), earlier.rows);
    if (!options_.csv.empty()) outputs_.csv.emplace(options_.csv, options_.counters, options_.accuracy, spans_ranks());
    known_ = KnownResults(earlier);
    if (!options_.resume.empty() && !options_.quiet) say_what_is_kept();
  }

  void say_what_is_kept() const {
    const std::size_t others = known_.of_other_commits(commit());
    say(fmt::format("{} results are in {} already{}", known_.size(), options_.resume,
                    others == 0 ? "" : fmt::format(", {} of them of another commit", others)));
  }

  const DeviceStatus& status_of(const Cell& cell) const {
    return executor_.status(*cell.backend, cell.experiment->ranks(cell.point));
  }

  bool spans_ranks() const {
    return std::ranges::any_of(plan_.groups, [](const Group& group) {
      return group.cells.front().experiment->ranks(group.cells.front().point) > 1;
    });
  }

  /// Interrupted by the user, or standard output is closed, or no cell can run any more.
  bool ended() const { return interrupted() || !std::cout || !executor_.why_over().empty(); }

  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - options_.began).count();
  }
  /// Whether something is measured of rows when all are timed.
  bool has_more_to_measure() const { return options_.energy || !options_.counters.empty(); }
  double repetitions() const { return static_cast<double>(google_.repetitions()); }

  void run_plan() {
    Schedule schedule(options_, plan_, executor_);
    const double expected = repetitions() * schedule.expected_from(0);
    if (!options_.quiet && expected > tour_seconds) say_what_to_expect(expected);
    progress_ = Progress(options_.quiet, plan_.groups.size() * google_.repetitions());
    std::map<std::string, std::vector<std::string>> left_out;  // points by experiment
    for (std::size_t g = 0; g < plan_.groups.size(); ++g)
      for (std::size_t repetition = 0; repetition < google_.repetitions() && !ended(); ++repetition) {
        const double runs_left = repetitions() - static_cast<double>(repetition);
        const double later = (runs_left - 1) * schedule.expected(g) + repetitions() * schedule.expected_from(g + 1);
        const auto rule = schedule.rule(g, options_.budget.value_or(0) - elapsed(), later);
        if (!rule) {
          left_out[plan_.groups[g].cells[0].experiment->name].push_back(plan_.groups[g].cells[0].point.name());
          break;
        }
        run_group(g, repetition, *rule, {schedule.expected(g), later});
        if (!results_[g].empty()) schedule.learn(results_[g].back());
      }
    for (const auto& [experiment, points] : left_out)
      say(fmt::format("left out, too long for --budget: {}, {}", experiment,
                      points.size() == 1 ? points[0] : fmt::format("{} points", points.size())));
  }

  void run_tour() {
    Tour tour(options_, plan_.backends, executor_);
    const double budget = options_.budget.value_or(tour_seconds);
    progress_ = Progress(options_.quiet, tour.left());
    while (tour.left() > 0 && !ended()) {
      const double left = budget - elapsed(), share = left / static_cast<double>(tour.left());
      progress_.begin(tour.next_name(), ": chooses variants", {share, left - share});
      std::optional<Tour::Stop> stop = tour.next(left / repetitions());
      progress_.done(stop.has_value());
      if (!stop) continue;
      spent_ += stop->trying;
      // Each mode and kind of launch takes an equal part.
      stop->rule.point_limit /= static_cast<double>(options_.modes.size() * options_.launch_by.size());
      for (const Mode mode : options_.modes)
        for (const LaunchBy launch_by : options_.launch_by) {
          plan_.groups.push_back({stop->group.cells, mode, launch_by});
          results_.emplace_back();
          for (std::size_t repetition = 0; repetition < google_.repetitions() && !ended(); ++repetition)
            run_group(plan_.groups.size() - 1, repetition, stop->rule, {stop->rule.point_limit, left - share});
        }
    }
    remarks_ = tour.remarks();
  }

  /// Each round of a search is a group of its own, and its number the repetition of its results.
  void run_searches(const std::vector<Group>& all) {
    plan_.groups.clear();
    results_.clear();
    progress_ = Progress(options_.quiet, all.size());
    for (std::size_t s = 0; s < all.size() && !ended(); ++s) {
      const double share = options_.budget ? (*options_.budget - elapsed()) / static_cast<double>(all.size() - s) : 0;
      progress_.begin(name_of(all[s]), fmt::format(": tunes {}", all[s].cells[0].variant->id()),
                      {share, share * static_cast<double>(all.size() - s - 1)});
      const auto time_round = [&](const Group& left, std::size_t round, StopRule rule) {
        if (options_.budget) rule.point_limit = share / static_cast<double>(search_rounds(all[s].cells.size()));
        return run_round(left, round, rule);
      };
      if (auto found = search(all[s], options_.run.stop, time_round)) tuned_.push_back(std::move(*found));
      progress_.done(true);
    }
  }

  /// Results of a former run, or new ones. Empty after an interruption.
  std::vector<Result> run_round(const Group& group, std::size_t round, const StopRule& rule) {
    std::vector<Result> rows(group.cells.size());
    std::vector<std::size_t> to_time;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (auto known = known_.take(group.name_of(group.cells[i]), round)) {
        rows[i] = std::move(*known);
        if (const auto& device = status_of(group.cells[i]).device) rows[i].device = *device;
      } else {
        to_time.push_back(i);
      }
    if (!time(group, to_time, round, rule, rows)) return {};
    for (const std::size_t i : to_time) spent_ += rows[i].measurement.wall;
    for (const Result& row : rows)
      if (row.status != Status::ok && row.status != Status::skipped) {
        has_bad_result_ = true;
        say(fmt::format("{}: {}", row.name(), printable(row.label())));
      }
    plan_.groups.push_back(group);
    results_.push_back({rows});
    return rows;
  }

  /// Prints what was found, and adds it to the table, also after an interruption.
  void keep_tunings() {
    if (tuned_.empty()) return;
    outputs_.print(tuned_table(tuned_, outputs_.terminal));
    TuningTable table;
    for (const Tuned& tuned : tuned_) table.add(tuned_point(tuned));
    const bool is_named = !options_.tuning_output.empty();
    const std::string file = is_named ? options_.tuning_output : TuningTable::file_of_user();
    if (file.empty()) throw Error("tune: there is no home folder for the table; name a file by --output");
    table.write(is_named ? "--output" : "", file);
    if (!options_.quiet) say(fmt::format("{} points of the table of tunings are in {}", table.points().size(), file));
  }

  static std::string name_of(const Group& group) {
    return group.cells[0].experiment->name + " " + group.cells[0].point.name();
  }

  void say_what_to_expect(double seconds) const {
    std::size_t cells = 0;
    for (const Group& group : plan_.groups) cells += group.cells.size();
    say(fmt::format("{} cells at {} points: about {}{}", cells, plan_.groups.size(), duration(seconds),
                    options_.budget ? fmt::format(", cut to {} by --budget", duration(*options_.budget))
                                    : "; --budget 5m makes it 5 min"));
  }

  /// Times the cells of a group that have no result yet, and prints the table of all.
  void run_group(std::size_t index, std::size_t repetition, const StopRule& rule, Progress::Expected expected) {
    const Group& group = plan_.groups[index];
    std::vector<Result> rows(group.cells.size());
    std::vector<std::size_t> to_time;  // indices of rows
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (auto known = known_.take(group.name_of(group.cells[i]), repetition)) {
        rows[i] = std::move(*known);
        if (const auto& device = status_of(group.cells[i]).device; device && !rows[i].device.name.empty())
          rows[i].device = *device;
      } else if (const Result* skipped = plan_.skipped(group.cells[i])) {
        rows[i] = *skipped;
        rows[i].mode = group.mode;
        rows[i].launch_by = group.launch_by;
        rows[i].repetition = repetition;
        outputs_.keep(rows[i]);
      } else {
        to_time.push_back(i);
      }
    progress_.begin(name_of(group), details_of(group, to_time.size(), "times"), expected, !options_.tour);
    const bool is_done = time(group, to_time, repetition, rule, rows);
    if (is_done && options_.accuracy) {
      add_accuracy(executor_, rows);
      for (const Result& row : rows) outputs_.keep(row);
    }
    progress_.done(!to_time.empty());
    if (!is_done) return;  // interrupted
    for (const std::size_t i : to_time) spent_ += rows[i].measurement.wall;
    for (const Result& row : rows) {
      has_bad_result_ = has_bad_result_ || (row.status != Status::ok && row.status != Status::skipped);
      if (outputs_.csv && !has_more_to_measure()) outputs_.csv->add(row);  // else when that is known
    }
    outputs_.print(table(rows, outputs_.terminal));
    results_[index].push_back(std::move(rows));
  }

  /// Times the rows with these indices side by side. False after an interruption.
  bool time(const Group& group, const std::vector<std::size_t>& indices, std::size_t repetition, const StopRule& rule,
            std::vector<Result>& rows) {
    if (indices.empty()) return true;
    std::vector<Cell> cells;
    for (const std::size_t i : indices) cells.push_back(group.cells[i]);
    executor_.watch = [&](const Position& p) { progress_.show(p.placement, rule.placements); };
    std::vector<Result> timed = executor_.run(cells, group.mode, plan_.backends, group.launch_by, rule);
    for (Result& result : timed) {
      result.commit = commit();
      result.date = date_;
    }
    executor_.watch = nullptr;
    for (std::size_t k = 0; k < timed.size(); ++k) {
      timed[k].repetition = repetition;
      outputs_.keep(timed[k]);
      rows[indices[k]] = std::move(timed[k]);
    }
    return timed.size() == cells.size();
  }

  /// Reads the hardware counters of all timed rows. Last, since what is timed afterwards is no longer comparable.
  void count() {
    std::set<std::string> why_not;  // printed once, for however many cells
    progress_ = Progress(options_.quiet, results_.size());
    for (std::size_t g = 0; g < results_.size() && !ended(); ++g) {
      if (results_[g].empty()) continue;
      std::vector<Result>& first = results_[g].front();
      std::vector<Result> uncounted;
      std::vector<std::size_t> indices;
      for (std::size_t i = 0; i < first.size(); ++i)
        if (first[i].time() && !first[i].counters) {
          uncounted.push_back(first[i]);
          indices.push_back(i);
        }
      progress_.begin(name_of(plan_.groups[g]), details_of(plan_.groups[g], uncounted.size(), "counters"),
                      {1, static_cast<double>(results_.size() - g - 1)});
      if (!uncounted.empty()) executor_.count(uncounted);
      progress_.done(!uncounted.empty());
      for (std::size_t k = 0; k < indices.size(); ++k) first[indices[k]] = uncounted[k];
      for (std::vector<Result>& repetition : results_[g])
        for (std::size_t i = 0; i < repetition.size(); ++i) {
          if (repetition[i].time()) {
            repetition[i].counters = first[i].counters;
            repetition[i].kernel = first[i].kernel;
          }
          outputs_.keep(repetition[i]);
        }
      for (const Result& result : first)
        if (result.counters && !result.counters->why_not.empty()) why_not.insert(result.counters->why_not);
      outputs_.print(counters_table(first, outputs_.terminal));
    }
    for (const std::string& why : why_not) say("no counters: " + why);
  }

  /// Measures the energy of all timed rows, when all are timed, since it heats the device.
  void measure_energy() {
    std::set<std::string> why_not;  // printed once, for however many cells
    std::size_t throttled = 0, measured = 0;
    progress_ = Progress(options_.quiet, results_.size());
    for (std::size_t g = 0; g < results_.size() && !ended(); ++g) {
      if (results_[g].empty()) continue;
      std::vector<Result>& first = results_[g].front();
      std::vector<Result> wanted;
      std::vector<std::size_t> indices;
      for (std::size_t i = 0; i < first.size(); ++i)
        if (first[i].time() && !first[i].energy) {
          wanted.push_back(first[i]);
          indices.push_back(i);
        }
      const auto seconds = [&](std::size_t rows) {
        return 1.3 * options_.run.energy_window * static_cast<double>(rows);
      };
      progress_.begin(name_of(plan_.groups[g]), details_of(plan_.groups[g], wanted.size(), "energy"),
                      {seconds(wanted.size()), seconds(wanted.size()) * static_cast<double>(results_.size() - g - 1)});
      if (!wanted.empty()) executor_.energy(wanted);
      progress_.done(!wanted.empty());
      for (std::size_t k = 0; k < indices.size(); ++k) {
        first[indices[k]] = wanted[k];
        outputs_.keep(wanted[k]);
      }
      for (const Result& result : first)
        if (result.energy && !result.energy->why_not.empty()) {
          why_not.insert(result.energy->why_not);
        } else if (result.energy) {
          ++measured;
          throttled += is_by_power_or_heat(result.energy->throttle);
        }
      if (const std::string table = energy_table(first, outputs_.terminal); !table.empty()) outputs_.print(table);
    }
    for (const std::string& why : why_not) say("no energy: " + printable(why));
    if (throttled > 0 && !options_.quiet)
      say(
          fmt::format("{} of {} rows drew so much power, or were so hot, that the clock was lowered (marked !); "
                      "--without-throttled of report and compare leaves them out",
                      throttled, measured));
  }

  static std::string details_of(const Group& group, std::size_t cells, const std::string& what) {
    return fmt::format(" {}: {} of {} variant{}", to_string(group.mode, group.launch_by), what, cells,
                       cells == 1 ? "" : "s");
  }

  void print_overview() {
    std::vector<const Result*> all;
    for (const Repetitions& group : results_)
      if (!group.empty())
        for (const Result& r : group.front()) all.push_back(&r);
    std::string text = overview(verdicts(all), outputs_.terminal);
    std::istringstream remarks(remarks_ + "All variants and sizes: bench --all. One experiment: bench --experiment " +
                               "reduce_sum. The results as a page: bench report -o report.html.");
    const std::size_t width = outputs_.terminal.width ? outputs_.terminal.width : std::string::npos;
    for (std::string remark; std::getline(remarks, remark);)
      for (const std::string& line : wrap(remark, width)) text += line + "\n";
    outputs_.print(text);
  }

  void say_where_the_time_went() const {
    say(fmt::format("{:.1f} s: preparing {:.1f}, verifying {:.1f}, timing {:.1f}, waiting {:.1f}", elapsed(),
                    spent_.preparing, spent_.verifying, spent_.timing, elapsed() - spent_.sum()));
  }

  /// Findings from several points of an experiment, on one device and in one mode.
  void print_findings() {
    std::map<std::tuple<const ExperimentEntry*, std::string, Mode, LaunchBy>, std::vector<Result>> series;
    const auto add = [&](const std::vector<Result>& results) {
      for (const Result& r : results) series[{r.cell.experiment, r.device.name, r.mode, r.launch_by}].push_back(r);
    };
    for (const Repetitions& group : results_)
      if (!group.empty()) add(group.front());
    add(known_.rest());
    for (const auto& [of, results] : series) {
      const auto& [experiment, device, mode, launch_by] = of;
      std::vector<Finding> findings = experiment->findings(outcomes(results));
      std::ranges::move(random_findings(results), std::back_inserter(findings));
      if (findings.empty()) continue;
      outputs_.json->add(Conclusion{experiment->name, to_string(mode, launch_by), device, findings});
      const auto wrap_line = [&](const std::string& line) { return wrapped(line, outputs_.terminal.width, 4) + "\n"; };
      std::string text =
          wrap_line(fmt::format("{}  {}  |  {}: findings", experiment->name, to_string(mode, launch_by), device));
      for (const Finding& finding : findings) text += wrap_line("  " + to_string(finding));
      outputs_.print(text);
    }
  }

  /// How many rows are noisy, and how busy the devices were.
  void tell_noise() {
    Context during;
    add_use_by_others(during, "during", plan_, executor_);
    outputs_.json->add(during);
    std::size_t timed = 0, noisy = 0;
    for (const Repetitions& group : results_)
      for (const std::vector<Result>& rows : group)
        for (const Result& row : rows) {
          timed += row.time().has_value();
          noisy += !noise(row).empty();
        }
    if (noisy > 0 && !options_.quiet)
      say(fmt::format("{} of {} rows are noisy (marked {}): do not rely on them", noisy, timed, noisy_mark));
  }

  void say_where_results_are() const {
    if (const std::string why = executor_.why_over(); !why.empty())
      say(fmt::format("{}; {}", why, outputs_.json->how_to_resume()));
    else if (interrupted())
      say("interrupted; " + outputs_.json->how_to_resume());
    else if (const std::string path = outputs_.json->path(); !path.empty() && !options_.quiet)
      say("results are in " + path);
  }

  const Options& options_;
  Plan plan_;
  Executor& executor_;
  GoogleBenchmark google_;
  Outputs outputs_;
  KnownResults known_;
  Progress progress_;
  std::vector<Repetitions> results_;  // by group
  std::string remarks_;               // of the tour
  std::vector<Tuned> tuned_;
  Phases spent_;
  std::string date_;  // of the run's start
  bool has_bad_result_ = false;
};

}  // namespace

int run_benchmarks(const Options& options, const Plan& plan, Executor& executor) {
  return Run(options, plan, executor).run();
}

}  // namespace crosswarp
