// The order of things for each point: bind → verify → sample → verify again, with other inputs each time. No rate
// without all verdicts.
#include "core/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "core/error.hpp"
#include "core/verification.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t most_launches = 20;
constexpr std::uint64_t generations = 2;                    // of inputs, that a run alternates between
constexpr std::size_t most_ballast = std::size_t{4} << 20;  // bytes by which a placement's buffers are moved at most

constexpr const char* lost_earlier = "the device was lost to an earlier fault";

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double processor_clock() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Launches in a sample: as many as distinct inputs fit into a small share of the memory, and as their references are
/// made in time, so that short kernels are timed over many of them and long ones need no averaging. The same for every
/// row of a point.
std::size_t launches_in(const DeviceInfo& device, const Cell& cell, Mode mode) {
  if (mode == Mode::single) return 1;
  const auto fit =
      static_cast<double>(device.memory) / 128 / static_cast<double>(cell.experiment->footprint(cell.point));
  const double checked = most_check_cost(device) / (generations * cell.experiment->check_cost(cell.point));
  return static_cast<std::size_t>(std::clamp<double>(std::min(fit, checked), 1, most_launches));
}

constexpr std::uint64_t rounds_between_refills = 8;  // on average
constexpr double longest_look = 0.2;                 // seconds at a closed gate
constexpr double look_at_times = 10;                 // of what a sample takes
constexpr std::size_t least_leak = std::size_t{1} << 20;
constexpr int looks_for_a_leak = 3;

constexpr std::size_t least_errors = 8;                   // of one distribution: more draws where outputs are few,
constexpr std::size_t most_drawn = std::size_t{2} << 30;  // but no more bytes than these, which the host sums up, too

/// `when`: what stands before the reason of a verdict that is not ok.
void conclude_verdict(Result& result, Verdict verdict, const std::string& when = "") {
  result.verdict = std::move(verdict);
  result.status = result.verdict.ok ? Status::ok : Status::wrong;
  result.note = result.verdict.ok ? "" : when + result.verdict.where;
}

/// What one launch on each set, or a few, are judged by outside of any timing.
Launches untimed(const Bound& bound, std::size_t sets, ResultIn result) {
  return {.launch = bound.launch,
          .count = sets,
          .sets = sets,
          .gated = false,
          .result = result,
          .workspace = bound.workspace.get()};
}

/// The one with most threads.
/// No hardware knows them: a launch says how many of its blocks have work, or nobody does.
void tell_useful_blocks(Counters& counters, const KernelUse& kernel) {
  for (Count& count : counters.counts) {
    if (count.counter->name != "useful_blocks") continue;
    if (kernel.useful_blocks == 0) {
      count.why_not = "the launch does not say";
    } else {
      count.value = static_cast<double>(kernel.useful_blocks);
      count.why_not.clear();
    }
  }
}

KernelUse largest(const std::vector<KernelUse>& kernels) {
  KernelUse most;
  for (const KernelUse& kernel : kernels)
    if (kernel.blocks * kernel.threads > most.blocks * most.threads) most = kernel;
  return most;
}

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

/// Whether counters show that a result measured what its name says. One that they contradict is implausible.
void prove(Result& result) {
  const std::vector<Expectation> expectations = result.cell.experiment->expectations(result.cell.point);
  if (expectations.empty()) return;
  std::string seen, missing;
  for (const Expectation& expected : expectations) {
    const auto value = result.counters ? (*result.counters)[expected.counter] : std::nullopt;
    if (!value) {
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", expected.counter);
      continue;
    }
    seen += fmt::format("{}{} {:.4g}", seen.empty() ? "" : ", ", expected.counter, *value);
    if (*value >= expected.least && *value <= expected.most) continue;
    result.status = Status::implausible;
    result.note = fmt::format("{} is {:.4g}, not {} {:.4g}: it measured something else", expected.counter, *value,
                              *value < expected.least ? "at least" : "at most",
                              *value < expected.least ? expected.least : expected.most);
    return;
  }
  if (!missing.empty())
    result.proof = fmt::format("unproven: {} not read{}", missing, result.counters ? "" : "; add --counters");
  else
    result.proof = "proven: " + seen;
}

/// No launch takes less than an empty one. `floor`: of empty launches by the same mechanism, from the same rounds.
void hold_to_floor(Result& result, const Placements& floor) {
  const std::vector<double> empty = flatten(floor), own = flatten(result.measurement.seconds);
  if (result.status != Status::ok || empty.empty() || own.empty()) return;
  if (median_interval(own).high >= median_interval(empty).low) return;
  result.status = Status::implausible;
  result.note =
      fmt::format("faster than an empty launch ({:.3g} µs against {:.3g} µs): its work runs elsewhere, or not at all",
                  1e6 * median(own), 1e6 * median(empty));
}

void fail(Result& result, const std::string& why) {
  result.status = Status::failed;
  result.note = why;
}

void skip(Result& result, const std::string& why) {
  result.status = Status::skipped;
  result.note = why;
}

}  // namespace

/// What is the same for every row of a point.
struct Runner::Batching {
  std::size_t launches;  // in a sample
  Mode mode;
  LaunchBy launch_by;
  std::size_t sets() const { return mode == Mode::hot ? 1 : launches; }
  /// How often enqueuing() is called in a sample.
  std::size_t calls() const { return launch_by == LaunchBy::graph ? 1 : launches; }
  /// What enqueues a sample: `launch`, call by call, or one graph of all launches.
  std::function<void(std::size_t)> enqueuing(Device& device, const std::function<void(std::size_t)>& launch) const {
    if (launch_by == LaunchBy::stream) return launch;
    return [graph = device.capture(launch, launches)](std::size_t) { graph(); };
  }
};

/// A cell while it is timed. It is bound to one placement's problem at a time.
struct Runner::Contestant {
  Result* result;
  std::size_t place;  // among the cells given
  bool gated;
  std::string id = result->cell.id();
  Bound bound = {};
  Launches launches = {};
  bool stale = false;       // a hot row's caches hold what the inputs were before the last refill
  double sample_takes = 0;  // seconds, of a verified sample; roughly
  double wall = 0;          // seconds of all its turns, and of verifying it by the timed path
  double cpu = 0;           // processor seconds of all its samples
  std::vector<std::vector<Observation>> observed = {};  // by placement
  std::size_t samples = 0;

  void bind(Device& device, const Problem& problem, const Batching& batching) {
    bound = result->cell.variant->bind(device, problem, *result->cell.tuning);
    launches = {.launch = bound.launch,
                .count = batching.launches,
                .sets = batching.sets(),
                .cold = batching.mode != Mode::hot,
                .gated = gated,
                .result = result->cell.variant->result,
                .workspace = bound.workspace.get()};
    if (batching.mode == Mode::hot) launches.launch = [once = bound.launch](std::size_t) { once(0); };
  }
  void unbind() {
    launches = {};
    bound = {};
  }
};

/// Empty launches, sampled in the rounds of the rows, by each mechanism that one of them uses.
struct Runner::Floors {
  Placements plain, pdl;  // of the run's launches: a stream's, or a graph's

  const Placements& of(const Result& result) const { return result.kernel.pdl && !pdl.empty() ? pdl : plain; }
};

/// The inputs of one placement, which alternate between two generations of numbers at moments that no launch foresees.
struct Runner::Inputs {
  Problem& problem;
  std::uint64_t generation = 0;
  RandomStream random;
  std::uint64_t drawn = 0;

  void change() {
    generation = (generation + 1) % generations;
    problem.refill(generation);
  }
  /// Drawn before each round.
  bool wants_change() { return problem.has_inputs() && random(drawn++) % rounds_between_refills == 0; }
};

Runner::Place Runner::place(const Backend& backend) {
  const std::string name = backend.name();
  if (!devices_.contains(name) && !why_not_.contains(name)) {
    try {
      const std::size_t count = backend.devices().size();
      if (count == 0) {
        const std::string why = backend.why_none();
        why_not_[name] = why.empty() ? "it sees no device here" : why;
      } else if (options_.device >= count) {
        why_not_[name] =
            fmt::format("--device {}: {} sees {} device{}", options_.device, name, count, count == 1 ? "" : "s");
      } else {
        devices_[name] = backend.open(options_.device);
      }
    } catch (const std::exception& error) {
      why_not_[name] = error.what();
    }
  }
  const auto found = devices_.find(name);
  return found == devices_.end() ? Place{nullptr, why_not_[name]} : Place{found->second.get(), {}};
}

std::string Runner::skipped(const Cell& cell) {
  if (!cell.variant->not_expressible.empty()) return "not expressible: " + cell.variant->not_expressible;
  const Place where = place(*cell.backend);
  if (!where.device) return where.why_not;
  const DeviceInfo& info = where.device->info();
  for (const std::string& feature : cell.variant->needs)
    if (!info.has(feature)) return info.lack_of(feature);
  if (const std::string missing = cell.variant->missing ? cell.variant->missing() : ""; !missing.empty())
    return missing;
  if (const std::size_t bytes = cell.experiment->footprint(cell.point); bytes > info.memory)
    return fmt::format("needs {} MiB, {} has {}", bytes >> 20, info.name, info.memory >> 20);
  return takes_too_long_to_check(*cell.experiment, cell.point, info);
}

Result Runner::start(const Cell& cell) {
  Result result;
  result.cell = cell;
  result.note = skipped(cell);
  if (const Place where = place(*cell.backend); where.device) {
    result.device = where.device->info();
    if (result.note.empty() && where.device->lost()) fail(result, lost_earlier);
  }
  if (cell.variant->not_expressible.empty()) result.cost = cell.experiment->cost(cell.point);
  return result;
}

/// One launch on each set, outside of any timing, with the kernels noted.
void Runner::verify_on(Device& device, Problem& problem, const Bound& bound, std::size_t sets, Result& result,
                       std::size_t cell) {
  enter(device, cell);
  problem.poison();
  bound.log->on = true;
  const Range range(device, result.cell.id());
  for (std::size_t set = 0; set < sets; ++set) {
    enter(device, cell);
    bound.launch(set);
  }
  device.synchronize();
  bound.log->on = false;
  enter(device, cell);
  const Launches launches = untimed(bound, sets, result.cell.variant->result);
  conclude_verdict(result, say_if_late(problem, launches, judge(problem, launches)));
  const std::vector<KernelUse>& kernels = bound.log->kernels;
  result.kernel = largest(kernels);
  // One of several is enough for a launch to undercut an empty one by stream.
  result.kernel.pdl = std::any_of(kernels.begin(), kernels.end(), [](const KernelUse& kernel) { return kernel.pdl; });
}

void Runner::enter(const Device& device, std::size_t cell) {
  if (device.lost()) throw Error(lost_earlier);  // else what is done now would fail in words that mislead
  if (options_.position) options_.position->enter(cell);
}

Result Runner::verify(const Cell& cell, std::size_t sets) {
  Result result = start(cell);
  if (!result.note.empty()) return result;
  Device& device = *place(*cell.backend).device;
  try {
    enter(device);
    const auto prepared = cell.experiment->prepare(device, cell.point, options_.seed, sets);
    enter(device, 0);
    const Bound bound = cell.variant->bind(device, *prepared, *cell.tuning);
    enter(device);
    prepared->refill(0);
    verify_on(device, *prepared, bound, sets, result, 0);
  } catch (const std::exception& error) {
    fail(result, error.what());
  }
  return result;
}

bool Runner::lost_device() const {
  return std::any_of(devices_.begin(), devices_.end(), [](const auto& entry) { return entry.second->lost(); });
}

double Runner::measured_bandwidth(Device& device) {
  if (!options_.why_untimed.empty()) return 0;
  const auto [place, is_new] = bandwidths_.try_emplace(device.info().key, 0.0);
  if (is_new) place->second = measure_read_bandwidth(device);
  return place->second;
}

double Runner::measured_peak(Device& device, std::string_view part) {
  return part == "memory" ? measured_bandwidth(device) : options_.ceilings.rate(device.info(), part);
}

void Runner::measure_cache_bandwidth(Device& device) {
  options_.ceilings.raise(device.info(), "cache", crosswarp::measure_cache_bandwidth(device));
}

double Runner::cache_bandwidth(Device& device) {
  if (options_.ceilings.rate(device.info(), "cache") == 0) measure_cache_bandwidth(device);
  return options_.ceilings.rate(device.info(), "cache");
}

double Runner::least_measured_time(Device& device, const Cost& cost) {
  // The measuring loops are compiled for any processor of the architecture: wider vectors may be faster.
  constexpr double margin = 4;
  const double ceiling = cost.ceiling == "memory" ? cache_bandwidth(device) : measured_peak(device, cost.ceiling);
  return ceiling > 0 ? cost.amount() / (margin * ceiling) : 0;
}

std::vector<Result> Runner::run(const std::vector<Cell>& cells, Mode mode, const std::vector<std::string>& backends,
                                LaunchBy launch_by) {
  std::vector<Result> results;
  for (const Cell& cell : cells) results.push_back(start(cell));
  std::map<Device*, std::vector<std::size_t>> by_device;
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].mode = mode;
    results[i].launch_by = launch_by;
    if (launch_by == LaunchBy::graph && results[i].note.empty() && cells[i].variant->result == ResultIn::host)
      results[i].note = "cannot be captured: it waits for its result";
    if (results[i].note.empty()) by_device[place(*cells[i].backend).device].push_back(i);
  }
  for (const auto& [device, places] : by_device) {
    try {
      run_on(*device, results, places, mode, launch_by);
    } catch (const std::exception& error) {  // the device itself: memory, a lost context
      for (const std::size_t i : places)
        if (results[i].status == Status::skipped || results[i].status == Status::ok) fail(results[i], error.what());
    }
  }
  if (!options_.why_untimed.empty())
    for (Result& result : results)
      if (result.status == Status::ok) {
        result.status = Status::skipped;
        result.note = options_.why_untimed;
        result.measurement.seconds.clear();
      }
  compare(results, backends);
  return results;
}

void Runner::count(std::vector<Result>& results, const std::vector<const Counter*>& wanted) {
  std::map<Device*, std::unique_ptr<Problem>> prepared;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Result& result = results[i];
    if (!result.time()) continue;
    const Cell& cell = result.cell;
    Device& device = *place(*cell.backend).device;
    Counters& counters = result.counters.emplace();
    try {
      enter(device, i);
      std::unique_ptr<Problem>& problem = prepared[&device];
      if (!problem) {
        problem = cell.experiment->prepare(device, cell.point, options_.seed, 1);
        problem->refill(0);
      }
      const Bound bound = cell.variant->bind(device, *problem, *cell.tuning);
      problem->poison();
      const Range range(device, cell.id());
      counters = device.count(
          wanted,
          [&] {
            enter(device, i);
            bound.launch(0);
          },
          result.mode != Mode::hot);
      if (!counters.why_not.empty()) continue;
      if (const Verdict verdict = problem->check(cell.variant->result); !verdict.ok)
        throw Error("wrong when counted: " + verdict.where);
    } catch (const std::exception& error) {
      counters = {.counts = {}, .kernels = {}, .why_not = error.what()};
    }
    std::vector<KernelUse> uses;
    for (const KernelRun& kernel : counters.kernels) uses.push_back(kernel.use);
    if (result.kernel.registers == 0) result.kernel = largest(uses);  // nobody could tell before
    tell_useful_blocks(counters, result.kernel);
    prove(result);
  }
}

void Runner::accuracy(std::vector<Result>& results) {
  std::map<Device*, std::vector<std::size_t>> by_device;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].status == Status::ok) by_device[place(*results[i].cell.backend).device].push_back(i);
  for (const auto& [device, places] : by_device) {
    try {
      accuracy_on(*device, results, places);
    } catch (const std::exception& error) {  // the device itself
      for (const std::size_t i : places)
        if (!results[i].accuracy) results[i].accuracy = {.on = {}, .why_not = error.what()};
    }
  }
}

void Runner::accuracy_on(Device& device, std::vector<Result>& results, const std::vector<std::size_t>& places) {
  enter(device);
  const Cell& first = results[places.front()].cell;
  const std::size_t footprint = first.experiment->footprint(first.point);
  const std::unique_ptr<Problem> problem = first.experiment->prepare(device, first.point, options_.seed, 1);
  struct Row {
    std::size_t place;
    std::string why_not = {};
    Bound bound = {};
    Errors errors = {};
    std::vector<ErrorSummary> on = {};
  };
  std::vector<Row> rows;
  for (const std::size_t i : places) rows.push_back({i});
  // The same for all rows, of which those that fail are left alone afterwards.
  const auto all = [&](const std::function<void(Row&, const VariantEntry&)>& work) {
    for (Row& row : rows) {
      if (!row.why_not.empty()) continue;
      try {
        enter(device, row.place);
        work(row, *results[row.place].cell.variant);
        enter(device, row.place);
      } catch (const std::exception& error) {
        row.why_not = error.what();
      }
    }
  };
  all([&](Row& row, const VariantEntry& variant) {
    row.bound = variant.bind(device, *problem, *results[row.place].cell.tuning);
  });
  for (const Distribution distribution : distributions) {
    std::size_t outputs = 0;
    for (std::size_t draw = 0; draw == 0 || (outputs < least_errors && (draw + 1) * footprint <= most_drawn); ++draw) {
      enter(device);
      if (!problem->refill_general(distribution, draw)) return;
      all([&](Row& row, const VariantEntry& variant) {
        problem->poison();
        const Range range(device, results[row.place].cell.id());
        row.bound.launch(0);
        row.errors.add(problem->errors(variant.result));
        outputs = row.errors.ulps.size();
      });
      if (outputs == 0) break;
    }
    for (Row& row : rows)
      if (!row.errors.ulps.empty()) row.on.emplace_back(distribution, std::exchange(row.errors, {}));
  }
  for (Row& row : rows) {
    if (!row.why_not.empty()) row.on.clear();
    results[row.place].accuracy = {.on = std::move(row.on), .why_not = std::move(row.why_not)};
  }
}

Result Runner::profile(const Cell& cell, Mode mode, std::size_t launches) {
  Result result = start(cell);
  result.mode = mode;
  if (!result.note.empty()) return result;
  Device& device = *place(*cell.backend).device;
  try {
    const auto problem = cell.experiment->prepare(device, cell.point, options_.seed, 1);
    const Bound bound = cell.variant->bind(device, *problem, *cell.tuning);
    problem->refill(0);
    problem->poison();
    const std::string id = cell.id();
    const std::function<void(std::size_t)> launch = [&](std::size_t) {
      const Range range(device, id);
      bound.launch(0);
    };
    for (std::size_t i = 0; i < launches; ++i)
      device.time({.launch = launch, .count = 1, .cold = mode != Mode::hot, .gated = false});
    conclude_verdict(result, judge(*problem, untimed(bound, 1, cell.variant->result)));
  } catch (const std::exception& error) {
    fail(result, error.what());
  }
  return result;
}

void Runner::run_on(Device& device, std::vector<Result>& all, const std::vector<std::size_t>& places, Mode mode,
                    LaunchBy launch_by) {
  enter(device);
  const Cell& first = all[places.front()].cell;
  const std::size_t footprint = first.experiment->footprint(first.point);
  const Batching batching{launches_in(device.info(), first, mode), mode, launch_by};
  measured_bandwidth(device);  // which also brings it to its working clock
  std::vector<Contestant> contestants;
  for (const std::size_t i : places) {
    Result& result = all[i];
    result.measured_peak = measured_peak(device, result.cost.ceiling);
    result.measurement.launches = batching.launches;
    result.measurement.before = device.telemetry();
    contestants.push_back({&result, i, result.cell.variant->result == ResultIn::device});
  }
  Floors floors;
  std::unique_ptr<Problem> problem;
  double preparing = 0;  // seconds; at most as many as all cells may take
  const double most_preparing = options_.stop.time_limit * static_cast<double>(contestants.size());
  for (std::size_t p = 0; p < options_.stop.placements && !contestants.empty(); ++p) {
    if (preparing > most_preparing) break;
    const double began = wall_clock();
    enter(device);
    if (options_.position) options_.position->placement = p;
    Buffer<std::byte> ballast;
    try {
      if (problem) problem->release();
      device.relocate(p);
      // Something of another size before them moves all the buffers that follow.
      ballast = Buffer<std::byte>(device, mix(options_.seed + p) % most_ballast);
      if (problem)
        problem->allocate();
      else
        problem = first.experiment->prepare(device, first.point, options_.seed, batching.sets());
    } catch (const std::exception&) {
      if (p == 0) throw;
      break;  // what was measured so far is as good as before
    }
    preparing += wall_clock() - began;
    Inputs inputs{*problem, p % generations, RandomStream(options_.seed, p)};
    preparing += run_placement(device, inputs, batching, contestants, floors);
    // They bind in another order next time: small workspaces lie side by side, and which one lies where is worth 4 % of
    // a short launch.
    if (!contestants.empty()) std::rotate(contestants.begin(), contestants.begin() + 1, contestants.end());
    for (Contestant& c : contestants) {
      c.unbind();
      c.result->observed = median_over(c.observed);
    }
    std::erase_if(contestants, [&](const Contestant& c) {
      return c.result->status != Status::ok || c.wall >= options_.stop.time_limit;
    });
  }
  for (const std::size_t i : places) {
    all[i].measurement.after = device.telemetry();
    all[i].floor = location(floors.of(all[i]));
    if (all[i].status != Status::ok) continue;
    conclude(device, all[i], static_cast<double>(footprint), batching);
    if (device.is_asynchronous() && !first.experiment->may_undercut_a_launch) hold_to_floor(all[i], floors.of(all[i]));
  }
}

double Runner::run_placement(Device& device, Inputs& inputs, const Batching& batching,
                             std::vector<Contestant>& contestants, Floors& floors) {
  Problem& problem = inputs.problem;
  const auto per_launch = static_cast<double>(batching.launches);
  Capture capture(device, problem, batching.launches, batching.sets());
  double refilling = 0;
  const auto refill = [&] {
    const double began = wall_clock();
    enter(device);
    inputs.change();
    device.synchronize();
    refilling += wall_clock() - began;
    for (Contestant& c : contestants) c.stale = batching.mode == Mode::hot;
  };
  const auto time = [&](const Launches& l) {
    return device.time({.launch = l.launch, .count = l.count, .cold = l.cold, .gated = l.gated});
  };
  // Something that a row does with the device, after which the device must be as it was.
  const auto attempt = [&](Contestant& c, const std::function<void()>& work) {
    try {
      enter(device, c.place);
      device.restore_state();  // what is changed from here on, this row changed
      const Range range(device, c.id);
      work();
      if (const std::string changed = device.restore_state(); !changed.empty() && c.result->status == Status::ok)
        throw Error("changed the device's state: " + changed + "; a launch must leave it as it was");
      enter(device, c.place);
    } catch (const std::exception& error) {
      fail(*c.result, error.what());
    }
    // What is wrong may have written to the inputs that all rows share.
    if (c.result->status != Status::ok && !device.lost()) problem.refill(inputs.generation);
  };
  // The same for all rows, of which those that are right go on. False where none is left.
  const auto all = [&](const std::function<void(Contestant&)>& work) {
    for (Contestant& c : contestants) {
      const double began = wall_clock();
      attempt(c, [&] { work(c); });
      c.wall += wall_clock() - began;
    }
    std::erase_if(contestants, [](const Contestant& c) { return c.result->status != Status::ok; });
    return !contestants.empty();
  };
  const auto verify_as_timed_once = [&](Contestant& c, const std::string& when, double look,
                                        Before before = Before::poison) {
    conclude_verdict(*c.result, verify_as_timed(device, problem, capture, c.launches, look, before), when);
  };
  // On what the launches before have left: their inputs must be as they were, for this row and for those after it.
  const auto verify_again = [&](Contestant& c) {
    for (std::size_t set = 0; set < batching.sets(); ++set) {
      enter(device, c.place);
      c.bound.launch(set);
    }
    device.synchronize();
    conclude_verdict(*c.result, judge(problem, untimed(c.bound, batching.sets(), c.launches.result)),
                     "launched again on the same inputs, which a launch must leave as they are: ");
  };

  const bool is_first = contestants.front().result->measurement.seconds.empty();
  // Before the inputs are there: whatever .prepare computes of them is lost work.
  if (!all([&](Contestant& c) {
        c.result->status = Status::ok;
        c.bind(device, problem, batching);
      }))
    return refilling;
  refill();
  if (is_first) {
    if (!all([&](Contestant& c) {
          verify_on(device, problem, c.bound, batching.sets(), *c.result, c.place);
          if (c.result->status == Status::ok && problem.has_inputs()) verify_again(c);
        }))
      return refilling;
    refill();
    if (!all([&](Contestant& c) {
          conclude_verdict(*c.result, verify_each_launch(device, problem, capture, c.launches, c.sample_takes),
                           "when timed: ");
        }))
      return refilling;
    refill();
  }
  if (batching.launch_by == LaunchBy::graph) {
    // What only a first launch does (Kokkos grows its scratch memory) is done by all before anything is captured.
    if (!all([](Contestant& c) { c.launches.launch(0); })) return refilling;
    if (!all([&](Contestant& c) {
          try {
            c.launches.launch = batching.enqueuing(device, c.launches.launch);
            c.launches.count = batching.calls();
          } catch (const std::exception& error) {
            if (!is_first || device.lost()) throw;
            skip(*c.result, error.what());
          }
        }))
      return refilling;
  }
  if (!all([&](Contestant& c) {
        double look = is_first ? std::min(look_at_times * c.sample_takes / per_launch, longest_look) : 0;
        // Other processes may take memory of the same device, but hardly the same amount each time.
        std::size_t leaked = 0;
        for (int looked = 0; looked < looks_for_a_leak; ++looked, look = 0) {
          const std::size_t free = device.free_memory();
          verify_as_timed_once(c, "when timed: ", look);
          const std::size_t left = device.free_memory();
          if (!is_first || !device.is_asynchronous() || left + least_leak >= free) return;
          if (looked > 0 && free - left != leaked) return;
          leaked = free - left;
        }
        throw Error(fmt::format("leaks device memory: {} MiB in {} launches", leaked >> 20, batching.launches));
      }))
    return refilling;

  std::vector<std::function<double()>> turns;
  for (Contestant& c : contestants) {
    turns.push_back([&] {
      enter(device, c.place);
      // Nothing holds back a launch whose result goes to the host: it could begin early, but on older inputs.
      const bool is_on_host = c.launches.result == ResultIn::host;
      if (is_on_host) refill();
      if (c.stale) {
        c.launches.launch(0);
        device.synchronize();
        c.stale = false;
      }
      const Range range(device, c.id);
      const double before = processor_clock();
      const double seconds = time(c.launches);
      c.cpu += processor_clock() - before;
      ++c.samples;
      if (is_on_host)
        if (const Verdict verdict = judge(problem, c.launches); !verdict.ok)
          throw Error("returned a wrong result while timed: " + verdict.where);
      return seconds / per_launch;
    });
  }
  std::vector<Placements*> floors_of{&floors.plain};
  if (std::any_of(contestants.begin(), contestants.end(), [](const Contestant& c) { return c.result->kernel.pdl; }))
    floors_of.push_back(&floors.pdl);
  std::vector<std::function<double()>> empty;
  for (Placements* floor : floors_of) {
    const auto launch =
        batching.enqueuing(device, [&device, pdl = floor == &floors.pdl](std::size_t) { device.launch_empty(pdl); });
    empty.push_back([&, launch] {
      enter(device);
      return device.time({.launch = launch, .count = batching.calls(), .cold = batching.mode != Mode::hot}) /
             per_launch;
    });
  }
  StopRule rule = share(options_.stop);
  rule.min_time /= per_launch;  // samples are of one launch
  std::vector<Samples> sampled = sample_round_robin(turns, rule, wall_clock, empty, [&] {
    if (inputs.wants_change()) refill();
  });

  for (std::size_t i = 0; i < floors_of.size(); ++i)
    if (auto& seconds = sampled[contestants.size() + i].seconds; !seconds.empty())
      floors_of[i]->push_back(std::move(seconds));
  refill();
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    Contestant& c = contestants[i];
    Measurement& m = c.result->measurement;
    m.stopped = sampled[i].stopped;
    c.wall += sampled[i].wall;
    if (c.samples > 0) m.cpu_seconds = c.cpu / static_cast<double>(c.samples) / per_launch;
    if (!sampled[i].seconds.empty()) m.seconds.push_back(std::move(sampled[i].seconds));
    if (m.stopped == "error")
      fail(*c.result, sampled[i].error);
    else
      attempt(c, [&] { verify_as_timed_once(c, "after timing: ", 0, Before::numbers); });
    if (c.result->status == Status::ok) c.observed.push_back(problem.observe());
  }
  return refilling;
}

void Runner::conclude(Device& device, Result& result, double footprint, const Batching& batching) {
  const double t = location(result.measurement.seconds);
  double least = least_time(result.device, result.cost, footprint, batching.sets(), batching.mode);
  if (least == 0) {
    least = least_measured_time(device, result.cost);
    // The kept ceiling may come from a busy machine: measured again before a verdict rests on it.
    for (int again = 0; again < 3 && t < least && result.cost.ceiling == "memory"; ++again) {
      measure_cache_bandwidth(device);
      least = least_measured_time(device, result.cost);
    }
  }
  if (t < least) {
    result.status = Status::implausible;
    result.note =
        fmt::format("{:.3g} s is less than the {:.3g} s that {} could take at best", t, least, result.device.name);
  } else if (result.cell.variant->result == ResultIn::host) {
    result.note = result_on_host;
  }
  if (result.status == Status::ok) prove(result);
}

}  // namespace crosswarp
