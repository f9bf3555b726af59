// The rows of one point on one device, timed side by side: in each placement of the buffers bind → launch, in the first
// one verify → sample in rounds → verify, with other inputs each time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/judgement.hpp"
#include "core/random.hpp"
#include "core/runner.hpp"
#include "core/verification.hpp"

namespace crosswarp {
namespace {

constexpr std::uint64_t generations = 2;             // of inputs, alternating
constexpr std::uint64_t rounds_between_refills = 8;  // on average
// Bytes by which a placement shifts buffers: large ones, and those that CUDA takes from a slab of 2 MiB, which only
// another small one shifts.
constexpr std::array<std::size_t, 2> max_ballasts{std::size_t{4} << 20, std::size_t{64} << 10};
constexpr double max_look = 0.05;                       // seconds at a closed gate: longer work outside of the
                                                        // queue is not done when outputs are captured
constexpr double look_in_launches = 10;                 // the same, in launch times
constexpr double enough_sample = 0.004;                 // seconds, which need no more launches to be averaged
constexpr double max_sample = 0.012;                    // seconds of a sample of several launches
constexpr double max_first_sample = 0.05;               // the same, by first launches, which may load code
constexpr std::size_t min_leak = std::size_t{1} << 20;  // bytes
constexpr int leak_samples = 3;
constexpr std::size_t least_placements = 9;   // that `bench compare` needs of two runs
constexpr std::size_t single_launches = 160;  // behind a gate each, of a row over ranks: the 99th percentile needs 100

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Shortens launches for its lifetime.
class Shortened {
 public:
  explicit Shortened(Problem& problem) : problem_(problem) { problem_.shorten(true); }
  ~Shortened() { problem_.shorten(false); }
  Shortened(const Shortened&) = delete;
  Shortened& operator=(const Shortened&) = delete;

 private:
  Problem& problem_;
};

/// Each observation's median over placements.
std::vector<Observation> median_over(const std::vector<std::vector<Observation>>& placements) {
  std::vector<Observation> medians;
  if (!placements.empty()) medians = placements.front();
  for (std::size_t i = 0; i < medians.size(); ++i) {
    std::vector<double> values;
    for (const auto& observed : placements) values.push_back(observed.at(i).value);
    medians[i].value = median(values);
  }
  return medians;
}

}  // namespace

std::size_t launches_per_sample(const DeviceInfo& device, const Cell& cell, Mode mode, std::size_t most) {
  if (mode == Mode::single) return 1;
  const auto fit =
      static_cast<double>(device.memory) / 128 / static_cast<double>(cell.experiment->footprint(cell.point));
  const double checked = most_check_cost(device) / (generations * cell.experiment->check_cost(cell.point));
  const double least = least_time(device, cell.experiment->cost(cell.point),
                                  static_cast<double>(cell.experiment->footprint(cell.point)), 1, mode);
  const double averaged = least > 0 ? std::ceil(enough_sample / least) : fit;
  return static_cast<std::size_t>(std::clamp<double>(std::min({fit, checked, averaged}), 1, static_cast<double>(most)));
}

class Runner::PointRun {
 public:
  /// `indices`: the rows' indices in `results`, which are those of the cells given to the runner.
  PointRun(Runner& runner, Device& device, std::vector<Result>& results, const std::vector<std::size_t>& indices,
           const StopRule& stop);
  /// Returns the indices of rows that it set aside: they need a run with one launch a sample.
  std::vector<std::size_t> run();

 private:
  /// A row that takes part. Bound to one placement's buffers at a time.
  struct Row {
    Result* result;
    std::size_t index;
    bool gated;
    std::string id = result->cell.id();
    Bound bound = {};
    Launches launches = {};
    Launches shortened = {};                        // by another graph, if by one
    std::vector<double> shorter = {};               // samples of this placement
    std::vector<std::vector<double>> by_rank = {};  // seconds of a launch in all samples
    bool stale = false;                             // hot: the caches hold the inputs before the last change
    double sample_seconds = 0;                      // rough, from a verified sample
    double wall = 0;                                // seconds of all samples and verified samples
    double cpu = 0;                                 // processor seconds of all samples
    double waited = 0;  // shares of their time that threads waited for a processor, of all samples
    std::size_t samples = 0;
    std::vector<std::vector<Observation>> observed = {};  // by placement
  };

  bool move_buffers();
  void time_placement();
  bool bind_rows();
  bool set_aside_if_slow(Row& row, double launch_seconds, double most);
  bool verify_rows();
  bool capture_graphs();
  bool verify_rows_as_timed();
  void verify_and_find_leaks(Row& row);
  double verify_and_observe(Row& row, const std::string& when, Before before);
  void sample_rows();
  void time_single_launches();
  void verify_after_timing();
  void verify_last_sample(Row& row, Before before);
  bool is_precise(const Row& row) const;
  void end_placement();
  void conclude();

  void attempt(Row& row, const std::function<void()>& work);
  bool for_each_row(const std::function<void(Row&)>& work);
  void change_inputs();
  bool inputs_are_due();
  double verify_again(Row& row);
  double verify_as_timed(Row& row, const std::string& when, double look, Before before = Before::poison);
  double verify_shortened(Row& row, const std::string& when, Before before);
  double time(const Launches& launches);
  double sample(Row& row);
  void note_ranks(Row& row);
  std::function<double()> empty_sample(bool pdl);
  const Placements& floor_of(const Result& result) const;

  const RunOptions& options() const { return runner_.options_; }
  /// Wall seconds left for the point.
  double left() const { return stop_.point_limit - (wall_clock() - began_); }
  /// The wall time from now on belongs to `phase`. Returns the phase before.
  double Phases::*begin_phase(double Phases::*phase);
  void enter(std::size_t cell = Position::none) { runner_.enter(device_, cell); }
  /// Distinct inputs: one per launch, or one for all.
  std::size_t sets() const { return mode_ == Mode::hot ? 1 : launches_; }
  /// Seconds of a launch from which on a row is slow: its sample would take longer than `seconds`.
  double max_launch(double seconds) const {
    return launches_ > 1 ? per_launch(seconds) : std::numeric_limits<double>::infinity();
  }
  double per_launch(double seconds) const { return seconds / static_cast<double>(launches_); }
  bool by_graph() const { return launch_by_ == LaunchBy::graph; }
  /// Whether the sample that is verified after a placement's others is one of them: it is taken as they are, unless
  /// these find their input in the caches, or wait for the host to take their result.
  bool counts_verified_sample(const Row& row) const {
    return mode_ != Mode::hot && row.launches.result == ResultIn::device;
  }
  bool has_shortened() const { return all_.front()->cost.left_out > 0; }

  Runner& runner_;
  Device& device_;
  const StopRule stop_;
  const Mode mode_;
  const LaunchBy launch_by_;
  const Cell cell_;                // any row's: all have the same experiment and point
  const std::size_t launches_;     // per sample
  std::vector<Result*> all_;       // also those that dropped out
  std::vector<Row> rows_;          // still in the run
  std::vector<std::size_t> slow_;  // indices of rows set aside
  Placements floor_, pdl_floor_;   // samples of empty launches

  std::size_t placement_ = 0;
  bool is_first_ = true;    // nothing is timed yet
  const double max_setup_;  // seconds of preparing, but for once_
  double once_ = 0;         // seconds in which rows were bound first
  std::unique_ptr<Problem> problem_;
  std::array<Buffer<std::byte>, max_ballasts.size()> ballasts_;
  std::uint64_t generation_ = 0, refill_draws_ = 0;
  RandomStream refill_random_{0, 0};
  std::optional<Capture> capture_;

  const double began_ = wall_clock();
  Phases spent_;
  double Phases::*phase_ = &Phases::preparing;
  double phase_began_ = began_;
};

Runner::PointRun::PointRun(Runner& runner, Device& device, std::vector<Result>& results,
                           const std::vector<std::size_t>& indices, const StopRule& stop)
    : runner_(runner),
      device_(device),
      stop_(stop),
      mode_(results[indices.front()].mode),
      launch_by_(results[indices.front()].launch_by),
      cell_(results[indices.front()].cell),
      launches_(launches_per_sample(device.info(), cell_, mode_, stop.launches)),
      max_setup_(stop.time_limit * static_cast<double>(indices.size())) {
  enter();
  runner.measured_bandwidth(device);  // also raises an idle device to its working clock
  for (const std::size_t i : indices) {
    Result& result = results[i];
    result.measured_peak = runner.measured_peak(device, result.cost.ceiling);
    result.measurement.launches = launches_;
    result.measurement.before = device.telemetry();
    all_.push_back(&result);
    rows_.push_back({&result, i, result.cell.variant->result == ResultIn::device});
  }
}

std::vector<std::size_t> Runner::PointRun::run() {
  for (; placement_ < stop_.placements && !rows_.empty() && spent_.preparing - once_ <= max_setup_; ++placement_) {
    if (placement_ > 0 && left() <= 0) break;
    if (!move_buffers()) break;
    time_placement();
    end_placement();
  }
  conclude();
  return slow_;
}

double Phases::*Runner::PointRun::begin_phase(double Phases::*phase) {
  const double now = wall_clock();
  spent_.*phase_ += now - phase_began_;
  phase_began_ = now;
  return std::exchange(phase_, phase);
}

/// Allocates the buffers at other addresses. False if that fails after the first placement: the samples so far stay.
bool Runner::PointRun::move_buffers() {
  begin_phase(&Phases::preparing);
  enter();
  if (options().position) options().position->placement = placement_;
  try {
    if (problem_) problem_->release();
    device_.relocate(placement_);
    // An allocation of another size shifts all buffers behind it.
    for (std::size_t i = 0; i < ballasts_.size(); ++i)
      ballasts_[i] = Buffer<std::byte>(device_, mix(mix(options().seed + placement_) + i) % max_ballasts[i]);
    if (problem_)
      problem_->allocate();
    else
      problem_ = cell_.experiment->prepare(device_, cell_.point, options().seed, sets());
  } catch (const std::exception&) {
    if (placement_ == 0) throw;
    return false;
  }
  generation_ = placement_ % generations;
  refill_random_ = RandomStream(options().seed, placement_);
  refill_draws_ = 0;
  return true;
}

void Runner::PointRun::time_placement() {
  is_first_ = rows_.front().result->measurement.seconds.empty();
  capture_.emplace(device_, *problem_, launches_, sets());
  const double began = wall_clock();
  const bool is_bound = bind_rows();
  if (is_first_) {  // some choose a kernel for the problem, once
    once_ = wall_clock() - began;
    for (Row& row : rows_) row.wall = 0;
  }
  begin_phase(&Phases::verifying);
  if (is_bound && verify_rows() && capture_graphs() && (!is_first_ || verify_rows_as_timed())) {
    begin_phase(&Phases::timing);
    sample_rows();
    time_single_launches();
    begin_phase(&Phases::verifying);
    verify_after_timing();
  }
  begin_phase(&Phases::preparing);
  capture_.reset();
}

/// Before the first inputs: anything that .prepare derives from them would be lost.
bool Runner::PointRun::bind_rows() {
  const bool any = for_each_row([&](Row& row) {
    const Cell& cell = row.result->cell;
    row.result->status = Status::ok;
    row.bound = cell.variant->bind(device_, *problem_, runner_.tuning_of(*row.result));
    row.launches = {.launch = row.bound.launch,
                    .count = launches_,
                    .sets = sets(),
                    .cold = mode_ != Mode::hot,
                    .gated = row.gated,
                    .result = cell.variant->result,
                    .workspaces = row.bound.workspaces.get()};
    if (mode_ == Mode::hot) row.launches.launch = [once = row.bound.launch](std::size_t) { once(0); };
    row.shortened = row.launches;
  });
  if (any) change_inputs();
  return any;
}

/// In later placements only launches each row: these are verified behind their timing.
bool Runner::PointRun::verify_rows() {
  // What a variant does once for its buffers, such as recording a graph, must not meet a closed gate; and the first
  // sample is to be like the others. One launch more than it has: no launch knows by its number which one of it it is.
  const std::size_t count = launches_ > 1 ? launches_ + 1 : 1;
  if (!is_first_)
    return for_each_row([&](Row& row) {
      for (std::size_t i = 0; i < count; ++i) {
        enter(row.index);
        row.bound.launch(i % sets());
      }
      device_.synchronize();
    });
  if (!for_each_row([&](Row& row) {
        const double most = max_launch(max_first_sample);
        const double launch = runner_.verify_on(device_, *problem_, row.bound, sets(), *row.result, row.index, most);
        if (sets() > 1 && set_aside_if_slow(row, launch, most)) return;
        row.sample_seconds = launch;
        if (row.result->status != Status::ok || !problem_->has_inputs()) return;
        // What remembers its inputs is slow at first, and then faster than any: it is timed over several launches.
        row.sample_seconds = verify_again(row);
        if (row.result->status == Status::ok) set_aside_if_slow(row, row.sample_seconds, max_launch(max_sample));
      }))
    return false;
  change_inputs();
  if (!for_each_row([&](Row& row) {
        // A single launch that takes long, seconds perhaps, is verified as timed, next.
        if (launches_ == 1 && row.sample_seconds > max_first_sample) return;
        set_verdict(*row.result, verify_each_launch(device_, *problem_, *capture_, row.launches, row.sample_seconds),
                    "when timed: ");
      }))
    return false;
  change_inputs();
  return true;
}

/// One launch needs no averaging where it is long: a sample of several would cost seconds, in each verification, too.
bool Runner::PointRun::set_aside_if_slow(Row& row, double launch_seconds, double most) {
  if (launch_seconds <= most) return false;
  slow_.push_back(row.index);
  row.result->status = Status::skipped;
  return true;
}

/// Verifies launches on the inputs that the previous ones left: they must be unchanged. Returns wall seconds per
/// launch.
double Runner::PointRun::verify_again(Row& row) {
  const double began = wall_clock();
  for (std::size_t set = 0; set < sets(); ++set) {
    enter(row.index);
    row.bound.launch(set);
  }
  device_.synchronize();
  const double seconds = (wall_clock() - began) / static_cast<double>(sets());
  set_verdict(*row.result, judge(*problem_, untimed(row.bound, sets(), row.launches.result)),
              "launched again on the same inputs, which a launch must leave as they are: ");
  return seconds;
}

/// Replaces each row's launches by one graph.
bool Runner::PointRun::capture_graphs() {
  if (!by_graph()) return true;
  // First launches may do what cannot be captured: Kokkos grows its scratch memory.
  return for_each_row([](Row& row) { row.launches.launch(0); }) && for_each_row([&](Row& row) {
           try {
             const auto capture = [&](Launches& launches) {
               launches.launch = [graph = device_.capture(launches.launch, launches_)](std::size_t) { graph(); };
               launches.count = 1;
             };
             capture(row.launches);
             if (!has_shortened()) return;
             const Shortened shortened(*problem_);
             capture(row.shortened);
           } catch (const std::exception& error) {
             if (!is_first_ || device_.lost()) throw;
             skip(*row.result, error.what());
           }
         });
}

/// Also looks for leaks of device memory.
bool Runner::PointRun::verify_rows_as_timed() {
  return for_each_row([&](Row& row) {
    verify_and_find_leaks(row);
    verify_and_observe(row, "when timed with fewer steps: ", Before::poison);
  });
}

/// Behind the verified sample of a row: notes what the outputs show, unless they held numbers before, which look like
/// observations that a variant did not make; and verifies shorter launches, whose seconds it returns.
double Runner::PointRun::verify_and_observe(Row& row, const std::string& when, Before before) {
  if (row.result->status != Status::ok) return 0;
  if (before == Before::poison) row.observed.push_back(problem_->observe());
  return verify_shortened(row, when, before);
}

/// Throws Error for a leak.
void Runner::PointRun::verify_and_find_leaks(Row& row) {
  double look = std::min(look_in_launches * per_launch(row.sample_seconds), max_look);
  // Other processes may allocate on the same device, but hardly the same amount each time.
  std::size_t leaked = 0;
  for (int i = 0; i < leak_samples; ++i, look = 0) {
    const std::size_t before = device_.free_memory();
    verify_as_timed(row, "when timed: ", look);
    const std::size_t after = device_.free_memory();
    if (!device_.has_own_memory() || after + min_leak >= before) return;
    if (i > 0 && before - after != leaked) return;
    leaked = before - after;
  }
  throw Error(fmt::format("leaks device memory: {} MiB in {} launches", leaked >> 20, launches_));
}

/// Returns seconds per launch; 0 where there are no shortened launches.
double Runner::PointRun::verify_shortened(Row& row, const std::string& when, Before before) {
  if (!has_shortened()) return 0;
  const Shortened shortened(*problem_);
  const auto [verdict, seconds] = crosswarp::verify_as_timed(device_, *problem_, *capture_, row.shortened, 0, before);
  set_verdict(*row.result, verdict, when);
  return per_launch(seconds);
}

/// Returns seconds per launch.
double Runner::PointRun::verify_as_timed(Row& row, const std::string& when, double look, Before before) {
  const auto [verdict, seconds] = crosswarp::verify_as_timed(device_, *problem_, *capture_, row.launches, look, before);
  set_verdict(*row.result, verdict, when);
  return per_launch(seconds);
}

/// Samples rows and empty launches in rounds, until each row's median is known.
void Runner::PointRun::sample_rows() {
  std::vector<std::function<double()>> turns, empty;
  for (Row& row : rows_) turns.push_back([&] { return sample(row); });
  std::vector<Placements*> floors{&floor_};
  if (std::ranges::any_of(rows_, [](const Row& row) { return row.result->kernel.pdl; })) floors.push_back(&pdl_floor_);
  for (const Placements* floor : floors) empty.push_back(empty_sample(floor == &pdl_floor_));
  StopRule rule = share(stop_);
  if (std::ranges::all_of(rows_, [&](const Row& row) { return counts_verified_sample(row); }))
    rule.min_samples = std::max<std::size_t>(rule.min_samples, 2) - 1;
  rule.min_time = per_launch(rule.min_time);  // samples are seconds per launch
  const auto turns_left = static_cast<double>((stop_.placements - placement_) * rows_.size());
  rule.time_limit = std::clamp(left() / turns_left, 0.0, rule.time_limit);
  std::vector<Samples> sampled = sample_round_robin(turns, rule, wall_clock, empty, [&] {
    if (inputs_are_due()) change_inputs();
  });
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    Measurement& m = row.result->measurement;
    m.stopped = sampled[i].stopped;
    row.wall += sampled[i].wall;
    if (row.samples > 0) {
      m.cpu_seconds = per_launch(row.cpu / static_cast<double>(row.samples));
      // One interruption counts as one sample, however long it is: medians are robust against a few.
      if (device_.thread_times()) m.waited = row.waited / static_cast<double>(row.samples);
    }
    if (!sampled[i].seconds.empty()) m.seconds.push_back(std::move(sampled[i].seconds));
    if (!row.shorter.empty()) m.shorter.push_back(std::exchange(row.shorter, {}));
    if (m.stopped == "error") fail(*row.result, sampled[i].error);
  }
  for (std::size_t i = 0; i < floors.size(); ++i)
    if (auto& seconds = sampled[rows_.size() + i].seconds; !seconds.empty()) floors[i]->push_back(std::move(seconds));
}

/// The jitter of one operation over ranks, in rounds.
void Runner::PointRun::time_single_launches() {
  if (device_.ranks() == 1) return;
  std::vector<std::function<double()>> turns;
  for (Row& row : rows_)
    turns.push_back([&] {
      enter(row.index);
      Launches one = row.launches;
      one.count = 1;
      return device_.time({.launch = one.launch, .count = 1, .cold = one.cold, .gated = one.gated});
    });
  StopRule rule = stop_;
  rule.min_time = std::numeric_limits<double>::infinity();
  rule.precision = 0;
  rule.min_samples = rule.max_samples = single_launches;
  rule = share(rule);
  const std::vector<Samples> sampled = sample_round_robin(turns, rule, wall_clock);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    row.wall += sampled[i].wall;
    std::ranges::copy(sampled[i].seconds, std::back_inserter(row.result->measurement.single));
    if (sampled[i].stopped == "error") fail(*row.result, sampled[i].error);
  }
}

/// Seconds per launch.
double Runner::PointRun::time(const Launches& l) {
  return per_launch(device_.time({.launch = l.launch, .count = l.count, .cold = l.cold, .gated = l.gated}));
}

/// One sample: seconds per launch. Of shortened launches, too, directly behind it.
double Runner::PointRun::sample(Row& row) {
  enter(row.index);
  // Nothing holds back a launch whose result goes to the host: only new inputs keep it from starting early.
  const bool is_on_host = row.launches.result == ResultIn::host;
  if (is_on_host) change_inputs();
  if (row.stale) {
    row.launches.launch(0);
    device_.synchronize();
    row.stale = false;
  }
  const Range range(device_, row.id);
  const double before = processor_clock();
  const auto threads_before = device_.thread_times();
  const double seconds = time(row.launches);
  note_ranks(row);
  row.cpu += processor_clock() - before;
  if (const auto threads = device_.thread_times())
    row.waited += (*threads - threads_before.value_or(ThreadTimes{})).waited_share();
  ++row.samples;
  if (is_on_host)
    if (const Verdict verdict = judge(*problem_, row.launches); !verdict.ok)
      throw Error("returned a wrong result while timed: " + verdict.where);
  if (has_shortened()) {
    const Shortened shortened(*problem_);
    row.shorter.push_back(time(row.shortened));
  }
  return seconds;
}

/// Of the sample just taken.
void Runner::PointRun::note_ranks(Row& row) {
  const std::span<const double> by_rank = device_.seconds_by_rank();
  row.by_rank.resize(by_rank.size());
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) row.by_rank[rank].push_back(per_launch(by_rank[rank]));
}

/// Samples of empty launches, by the mechanism of the rows.
std::function<double()> Runner::PointRun::empty_sample(bool pdl) {
  std::function<void(std::size_t)> launch = [&device = device_, pdl](std::size_t) { device.launch_empty(pdl); };
  if (by_graph()) launch = [graph = device_.capture(launch, launches_)](std::size_t) { graph(); };
  return [this, launch] {
    enter();
    return per_launch(
        device_.time({.launch = launch, .count = by_graph() ? 1 : launches_, .cold = mode_ != Mode::hot}));
  };
}

void Runner::PointRun::verify_after_timing() {
  change_inputs();
  const bool draws_numbers = mix(mix(options().seed) + placement_) % 2 == 0;
  const Before before = is_first_ || draws_numbers ? Before::numbers : Before::poison;
  for (Row& row : rows_) {
    if (row.result->status != Status::ok) continue;
    const double began = wall_clock();
    attempt(row, [&] { verify_last_sample(row, before); });
    row.wall += wall_clock() - began;
  }
}

/// Where it counts, it becomes the placement's first sample: so sample i of any two rows stays of the same round.
void Runner::PointRun::verify_last_sample(Row& row, Before before) {
  const bool counts = counts_verified_sample(row);
  const double seconds = verify_as_timed(row, "after timing: ", 0, before);
  if (counts) note_ranks(row);
  const double shorter = verify_and_observe(row, "after timing, with fewer steps: ", before);
  if (!counts || row.result->status != Status::ok) return;
  Measurement& m = row.result->measurement;
  m.seconds.back().insert(m.seconds.back().begin(), seconds);
  if (has_shortened()) m.shorter.back().insert(m.shorter.back().begin(), shorter);
}

/// Whether more placements would tell little. Those of a row over ranks also sample its single launches.
bool Runner::PointRun::is_precise(const Row& row) const {
  const Placements& seconds = row.result->measurement.seconds;
  if (device_.ranks() > 1 || seconds.size() < least_placements) return false;
  const Interval known = location_interval(seconds);
  return (known.high - known.low) / 2 <= stop_.precision * location(seconds);
}

/// Unbinds all rows and frees the ballasts; those that are not ok, precise, or out of time leave the run.
void Runner::PointRun::end_placement() {
  // Rows bind in another order next time: small workspaces are neighbours, and their order is worth 4 % of a short
  // launch.
  if (!rows_.empty()) std::rotate(rows_.begin(), rows_.begin() + 1, rows_.end());
  for (Row& row : rows_) {
    row.launches = row.shortened = {};
    row.bound = {};
    row.result->observed = median_over(row.observed);
    row.result->measurement.by_rank.clear();
    for (const auto& of_rank : row.by_rank) row.result->measurement.by_rank.push_back(median(of_rank));
  }
  ballasts_ = {};
  std::erase_if(rows_, [&](const Row& row) {
    const bool is_done = is_precise(row);
    if (is_done) row.result->measurement.stopped = "precision";
    return is_done || row.result->status != Status::ok || row.wall >= stop_.time_limit;
  });
}

/// Holds times to the floor and to the limits of the device.
void Runner::PointRun::conclude() {
  const auto footprint = static_cast<double>(cell_.experiment->footprint(cell_.point));
  for (Result* result : all_) {
    result->measurement.after = device_.telemetry();
    result->floor = location(floor_of(*result));
    result->floor_p90 = quantile(flatten(floor_of(*result)), 0.9);
    if (result->status != Status::ok) continue;
    if (const std::string remark = device_.remark(); !remark.empty())
      result->note += (result->note.empty() ? "" : "; ") + remark;
    runner_.check_limits(device_, *result, footprint, sets());
    if (device_.is_asynchronous() && !cell_.experiment->may_undercut_a_launch) check_floor(*result, floor_of(*result));
  }
  begin_phase(&Phases::preparing);
  for (Result* result : all_) result->measurement.wall += spent_ / static_cast<double>(all_.size());
}

const Placements& Runner::PointRun::floor_of(const Result& result) const {
  return result.kernel.pdl && !pdl_floor_.empty() ? pdl_floor_ : floor_;
}

/// Does a row's work. An exception or a changed device state fails the row.
void Runner::PointRun::attempt(Row& row, const std::function<void()>& work) {
  try {
    enter(row.index);
    device_.restore_state();  // later changes are this row's
    const Range range(device_, row.id);
    work();
    if (const std::string changed = device_.restore_state(); !changed.empty() && row.result->status == Status::ok)
      throw Error("changed the device's state: " + changed + "; a launch must leave it as it was");
    enter(row.index);
  } catch (const std::exception& error) {
    fail(*row.result, error.what());
  }
  // A wrong launch may have written to the inputs, which all rows share.
  if (row.result->status != Status::ok && !device_.lost()) problem_->refill(generation_);
}

/// Attempts the same work for each row; those that are not ok leave the run. False if no row is left.
bool Runner::PointRun::for_each_row(const std::function<void(Row&)>& work) {
  for (Row& row : rows_) {
    const double began = wall_clock();
    attempt(row, [&] { work(row); });
    row.wall += wall_clock() - began;
  }
  std::erase_if(rows_, [](const Row& row) { return row.result->status != Status::ok; });
  return !rows_.empty();
}

/// Fills the inputs with the other generation of numbers.
void Runner::PointRun::change_inputs() {
  double Phases::*const phase = begin_phase(&Phases::preparing);
  enter();
  generation_ = (generation_ + 1) % generations;
  problem_->refill(generation_);
  device_.synchronize();
  begin_phase(phase);
  for (Row& row : rows_) row.stale = mode_ == Mode::hot;
}

/// Drawn before each round, so that no launch can foresee a change.
bool Runner::PointRun::inputs_are_due() {
  return problem_->has_inputs() && refill_random_(refill_draws_++) % rounds_between_refills == 0;
}

void Runner::run_point(Device& device, std::vector<Result>& results, const std::vector<std::size_t>& indices,
                       const StopRule& stop) {
  const double began = wall_clock();
  const std::vector<std::size_t> slow = PointRun(*this, device, results, indices, stop).run();
  if (slow.empty()) return;
  StopRule one_launch = stop;
  one_launch.launches = 1;
  one_launch.point_limit = std::max(0.0, stop.point_limit - (wall_clock() - began));
  PointRun(*this, device, results, slow, one_launch).run();
}

}  // namespace crosswarp
