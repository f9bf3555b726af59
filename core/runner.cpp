// Opens devices, splits rows by device, and measures what is not a time: counters, accuracy. Times: core/point_run.cpp.
#include "core/runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/judgement.hpp"
#include "core/remote_rank.hpp"
#include "core/verification.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t min_errors = 8;                    // per distribution; few outputs take several draws …
constexpr std::size_t max_drawn = std::size_t{2} << 30;  // … up to this many bytes of inputs, which the host sums, too

constexpr double max_code_load = 1;  // seconds of a variant's first launch that may be loading
constexpr const char* lost_earlier = "the device was lost to an earlier fault";
constexpr const char* replaces_inputs = "verified, not timed: a launch replaces its inputs";

/// Completes the count of blocks with work, which the launch declares.
void add_useful_blocks(Counters& counters, const KernelUse& kernel) {
  for (Count& count : counters.counts) {
    if (count.counter->name != "useful_blocks") continue;
    if (kernel.useful_blocks == 0) {
      count.why_not = "the launch does not declare it";
    } else {
      count.value = static_cast<double>(kernel.useful_blocks);
      count.why_not.clear();
    }
  }
}

/// On the host a rank is a thread.
Execution execution_of(const Cell& cell) {
  Execution execution = cell.backend->execution();
  const std::size_t ranks = cell.experiment->ranks(cell.point);
  if (ranks > 1 && execution.threads > 0) execution.threads = static_cast<int>(ranks);
  return execution;
}

/// Gives rows of one device whose number of threads can be chosen the fewest threads of the others: a ratio is of rows
/// with equal numbers.
void match_threads(std::vector<Result>& results, const std::vector<std::size_t>& indices) {
  int fewest = 0;
  for (const std::size_t i : indices)
    if (const Execution& own = results[i].execution; !own.is_chosen && own.threads > 0)
      fewest = fewest > 0 ? std::min(fewest, own.threads) : own.threads;
  for (const std::size_t i : indices) {
    const Backend& backend = *results[i].cell.backend;
    backend.use_threads(fewest);
    results[i].execution = execution_of(results[i].cell);
  }
}

/// The kernel with the most threads.
KernelUse largest(const std::vector<KernelUse>& kernels) {
  KernelUse most;
  for (const KernelUse& kernel : kernels)
    if (kernel.blocks * kernel.threads > most.blocks * most.threads) most = kernel;
  return most;
}

/// Kernels in the order of their launches, repeats counted; nothing where there is one alone.
std::vector<LaunchedKernel> in_rows(const std::vector<KernelUse>& kernels) {
  std::vector<LaunchedKernel> launched;
  for (const KernelUse& use : kernels)
    if (!launched.empty() && launched.back().use == use)
      ++launched.back().times;
    else
      launched.push_back({use});
  return kernels.size() > 1 ? launched : std::vector<LaunchedKernel>{};
}

}  // namespace

std::shared_ptr<Device> Runner::open(const Backend& backend, std::size_t ranks) const {
  const std::size_t count = backend.devices().size();
  const std::string sees = fmt::format("{} sees {} device{}", backend.name(), count, count == 1 ? "" : "s");
  if (const std::string why = backend.why_none(); count == 0) throw Error(why.empty() ? "it sees no device here" : why);
  const std::vector<std::size_t>& named = options_.devices;
  for (const std::size_t ordinal : named)
    if (ordinal >= count) throw Error(fmt::format("--devices {}: {}", fmt::join(named, ","), sees));
  if (options_.device >= count) throw Error(fmt::format("--device {}: {}", options_.device, sees));
  if (ranks == 1) return backend.open(options_.device);
  if (options_.processes) return open_process_ranks(backend, ranks, named, *options_.processes);
  if (!named.empty() && ranks > named.size())
    throw Error(fmt::format("--devices {}: {} ranks need as many devices", fmt::join(named, ","), ranks));
  std::vector<std::size_t> ordinals(ranks);
  std::iota(ordinals.begin(), ordinals.end(), std::size_t{0});
  if (!named.empty()) std::copy_n(named.begin(), ranks, ordinals.begin());
  return backend.open_ranks(ordinals);
}

Runner::OpenDevice Runner::device(const Backend& backend, std::size_t ranks) {
  const std::string name = backend.name();
  const DeviceKey key(name, ranks);
  if (!devices_.contains(key) && !why_not_.contains(key)) {
    try {
      devices_[key] = open(backend, ranks);
    } catch (const std::exception& error) {
      why_not_[key] = error.what();
    }
  }
  const auto found = devices_.find(key);
  return found == devices_.end() ? OpenDevice{nullptr, why_not_[key]} : OpenDevice{found->second.get(), {}};
}

std::string Runner::skipped(const Cell& cell) {
  if (!cell.variant->not_expressible.empty()) return "not expressible: " + cell.variant->not_expressible;
  const std::size_t ranks = cell.experiment->ranks(cell.point);
  const bool across_processes = options_.processes && ranks > 1;
  if (across_processes && !cell.variant->bind_rank)
    return "its ranks use objects of one process, and here they are processes";
  const OpenDevice opened = device(cell);
  if (!opened.device) return opened.why_not;
  if (across_processes && cell.variant->of_peers == OfPeers::memory && !opened.device->shares_memory())
    return "its ranks use each other's memory, which these processes do not share";
  if (cell.variant->of_peers == OfPeers::messages && !across_processes) return needs_processes(ranks);
  const DeviceInfo& info = opened.device->info();
  for (const std::string& feature : cell.variant->needs)
    if (!info.has(feature)) return info.lack_of(feature);
  if (const std::string missing = cell.variant->missing ? cell.variant->missing() : ""; !missing.empty())
    return missing;
  if (const std::size_t bytes = cell.experiment->footprint(cell.point); bytes > info.memory)
    return fmt::format("needs {} MiB, {} has {}", bytes >> 20, info.name, info.memory >> 20);
  return takes_too_long_to_check(*cell.experiment, cell.point, info);
}

const Tuning& Runner::tuning_of(const Result& result) const {
  const VariantEntry& variant = *result.cell.variant;
  const auto found = std::ranges::find(variant.tunings, result.tuned_by_table, &Tuning::name);
  return result.tuned_by_table.empty() || found == variant.tunings.end() ? *result.cell.tuning : *found;
}

/// A result without a verdict; its note says why the cell does not run, if it does not.
Result Runner::start(const Cell& cell) {
  Result result;
  result.cell = cell;
  result.method = timing_method;
  result.note = skipped(cell);
  if (const OpenDevice opened = device(cell); opened.device) {
    result.device = opened.device->info();
    result.execution = execution_of(cell);
    if (cell.variant->tuned_by_table && cell.tuning == &cell.variant->tunings.front())
      if (const Tuning* tuned = options_.tunings.find(result.device, *cell.variant, cell.point))
        result.tuned_by_table = tuned->name();
    if (result.note.empty() && opened.device->lost()) fail(result, lost_earlier);
  }
  if (cell.variant->not_expressible.empty()) result.cost = cell.experiment->cost(cell.point);
  return result;
}

/// Verifies one untimed launch per set, and records its kernels. The first two are launched alone.
double Runner::verify_on(Device& device, Problem& problem, const Bound& bound, std::size_t sets, Result& result,
                         std::size_t cell, double max_launch) {
  enter(device, cell);
  problem.poison();
  device.synchronize();
  bound.log->on = true;
  const Range range(device, result.cell.id());
  double seconds = 0;
  for (std::size_t set = 0; set < sets; ++set) {
    enter(device, cell);
    const auto began = std::chrono::steady_clock::now();
    bound.launch(set);
    bound.log->on = false;  // the kernels of one launch
    if (set > 1) continue;
    device.synchronize();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (seconds > max_launch && (set == 1 || seconds > max_code_load)) break;
  }
  device.synchronize();
  enter(device, cell);
  if (sets > 1 && seconds > max_launch) return seconds;
  const Launches launches = untimed(bound, sets, result.cell.variant->result);
  set_verdict(result, say_if_late(problem, launches, judge(problem, launches)));
  if (result.status == Status::ok)
    if (const auto verdict = problem.check_pipeline(bound.launch, launches.result))
      set_verdict(result, *verdict, "between other work on each rank's queue: ");
  std::vector<KernelUse>& kernels = bound.log->kernels;
  // A host cannot be asked while the launch waits for the device; a wrong launch need not be described.
  if (kernels.empty() && result.status == Status::ok && result.cell.variant->result == ResultIn::device)
    kernels = result.cell.backend->kernels_of(device, [&] { bound.launch(0); });
  result.kernel = largest(kernels);
  result.launched = in_rows(kernels);
  // One PDL kernel of several can make a launch faster than an empty one without PDL.
  result.kernel.pdl = std::any_of(kernels.begin(), kernels.end(), [](const KernelUse& kernel) { return kernel.pdl; });
  return seconds;
}

/// Reports the position, and makes the device current: a group of ranks leaves its last one so. Throws on a lost
/// device, whose later errors would mislead.
void Runner::enter(Device& device, std::size_t cell) {
  if (device.lost()) throw Error(lost_earlier);
  device.make_current();
  if (options_.position) options_.position->enter(cell);
}

Result Runner::verify(const Cell& cell, std::size_t sets) {
  Result result = start(cell);
  if (!result.note.empty()) return result;
  Device& device = *this->device(cell).device;
  try {
    enter(device);
    const auto prepared = cell.experiment->prepare(device, cell.point, options_.seed, sets);
    enter(device, 0);
    const Bound bound = cell.variant->bind(device, *prepared, tuning_of(result));
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
  const auto [known, is_new] = bandwidths_.try_emplace(device.info().key, 0.0);
  if (is_new) known->second = measure_read_bandwidth(device);
  return known->second;
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

/// Calls a time implausible that no device could reach, or that counters contradict.
void Runner::check_limits(Device& device, Result& result, double footprint, std::size_t sets) {
  const double t = location(result.measurement.seconds);
  double least = least_time(result.device, result.cost, footprint, sets, result.mode);
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
  if (result.status == Status::ok) check_expectations(result);
}

std::vector<Result> Runner::run(const std::vector<Cell>& cells, Mode mode, const std::vector<std::string>& backends,
                                LaunchBy launch_by, const std::optional<StopRule>& stop) {
  std::vector<Result> results;
  for (const Cell& cell : cells) results.push_back(start(cell));
  std::map<Device*, std::vector<std::size_t>> by_device;  // indices of results
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].mode = mode;
    results[i].launch_by = launch_by;
    if (launch_by == LaunchBy::graph && results[i].note.empty() && cells[i].variant->result == ResultIn::host)
      results[i].note = "cannot be captured: it waits for its result";
    if (results[i].note.empty() && cells[i].experiment->updates_inputs(cells[i].point))
      results[i].note = replaces_inputs;
    if (results[i].note.empty()) by_device[device(cells[i]).device].push_back(i);
  }
  for (const auto& [device, indices] : by_device) {
    match_threads(results, indices);
    try {
      run_point(*device, results, indices, stop.value_or(options_.stop));
    } catch (const std::exception& error) {  // of the device: memory is short, its context is lost
      for (const std::size_t i : indices)
        if (results[i].status == Status::skipped || results[i].status == Status::ok) fail(results[i], error.what());
    }
  }
  if (!options_.why_untimed.empty())
    for (Result& result : results)
      if (result.status == Status::ok) {
        skip(result, options_.why_untimed);
        result.measurement.seconds.clear();
        result.measurement.shorter.clear();
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
    Device& device = *this->device(cell).device;
    Counters& counters = result.counters.emplace();
    try {
      enter(device, i);
      std::unique_ptr<Problem>& problem = prepared[&device];
      if (!problem) {
        problem = cell.experiment->prepare(device, cell.point, options_.seed, 1);
        problem->refill(0);
      }
      const Bound bound = cell.variant->bind(device, *problem, tuning_of(result));
      problem->poison();
      const Range range(device, cell.id());
      counters = device.count(
          wanted,
          [&] {
            enter(device, i);
            bound.launch(0);
          },
          result.mode != Mode::hot, profiled(result, i));
      if (!counters.why_not.empty()) continue;
      if (const Verdict verdict = problem->check(cell.variant->result); !verdict.ok)
        throw Error("wrong when counted: " + verdict.where);
    } catch (const std::exception& error) {
      counters = {.counts = {}, .kernels = {}, .why_not = error.what()};
    }
    std::vector<KernelUse> uses;
    for (const KernelRun& kernel : counters.kernels) uses.push_back(kernel.use);
    if (result.kernel.registers == 0) result.kernel = largest(uses);  // unknown before
    add_useful_blocks(counters, result.kernel);
    check_expectations(result);
  }
}

/// The process that launches the cell of `result` with its tuning, which the table of tunings may have chosen.
ProfiledProcess Runner::profiled(const Result& result, std::size_t index) const {
  Cell cell = result.cell;
  cell.tuning = &tuning_of(result);
  ProfiledProcess process{.command = {}, .range = cell.id()};
  if (options_.profile_command) process.command = options_.profile_command(cell, result.mode);
  process.sign_of_life = [this, index] {
    if (options_.position) options_.position->enter(index);
  };
  return process;
}

void Runner::energy(std::vector<Result>& results) {
  std::map<Device*, std::unique_ptr<Problem>> prepared;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Result& result = results[i];
    if (!result.time()) continue;
    const Cell& cell = result.cell;
    Device& device = *this->device(cell).device;
    Energy& energy = result.energy.emplace();
    try {
      enter(device, i);
      if (!device.energy())
        throw Error(fmt::format("{} has no energy counter that is read: that of NVIDIA's GPUs from Volta on, by NVML",
                                device.info().name));
      const auto [idle, is_new] = idle_watts_.try_emplace(device.info().key, 0);
      if (is_new) idle->second = measure_idle_power(device, options_.energy_window);
      std::unique_ptr<Problem>& problem = prepared[&device];
      if (!problem) {
        problem = cell.experiment->prepare(device, cell.point, options_.seed, 1);
        problem->refill(0);
      }
      const Bound bound = cell.variant->bind(device, *problem, tuning_of(result));
      problem->poison();
      const Range range(device, cell.id());
      const auto launch = [&] {
        enter(device, i);
        bound.launch(0);
      };
      energy = measure_energy(device, launch, *result.time(), options_.energy_window);
      energy.idle_watts = idle->second;
      if (const Verdict verdict = problem->check(cell.variant->result); !verdict.ok)
        throw Error("wrong when its energy was measured: " + verdict.where);
    } catch (const std::exception& error) {
      energy = {};
      energy.why_not = error.what();
    }
  }
}

void Runner::accuracy(std::vector<Result>& results) {
  std::map<Device*, std::vector<std::size_t>> by_device;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].status == Status::ok) by_device[device(results[i].cell).device].push_back(i);
  for (const auto& [device, indices] : by_device) {
    try {
      accuracy_on(*device, results, indices);
    } catch (const std::exception& error) {  // of the device
      for (const std::size_t i : indices)
        if (!results[i].accuracy) results[i].accuracy = {.on = {}, .why_not = error.what()};
    }
  }
}

void Runner::accuracy_on(Device& device, std::vector<Result>& results, const std::vector<std::size_t>& indices) {
  enter(device);
  const Cell& first = results[indices.front()].cell;
  const std::size_t footprint = first.experiment->footprint(first.point);
  const std::unique_ptr<Problem> problem = first.experiment->prepare(device, first.point, options_.seed, 1);
  struct Row {
    std::size_t index;
    std::string why_not = {};
    Bound bound = {};
    Errors errors = {};
    std::vector<ErrorSummary> on = {};
  };
  std::vector<Row> rows;
  for (const std::size_t i : indices) rows.push_back({i});
  // Does the same work for each row; one that throws takes no further part.
  const auto all = [&](const std::function<void(Row&, const VariantEntry&)>& work) {
    for (Row& row : rows) {
      if (!row.why_not.empty()) continue;
      try {
        enter(device, row.index);
        work(row, *results[row.index].cell.variant);
        enter(device, row.index);
      } catch (const std::exception& error) {
        row.why_not = error.what();
      }
    }
  };
  all([&](Row& row, const VariantEntry& variant) {
    row.bound = variant.bind(device, *problem, tuning_of(results[row.index]));
  });
  bool does_round = false;
  for (const Distribution distribution : distributions) {
    std::size_t outputs = 0;
    for (std::size_t draw = 0; draw == 0 || (outputs < min_errors && (draw + 1) * footprint <= max_drawn); ++draw) {
      enter(device);
      if (!problem->refill_general(distribution, draw)) break;
      does_round = true;
      all([&](Row& row, const VariantEntry& variant) {
        problem->poison();
        const Range range(device, results[row.index].cell.id());
        row.bound.launch(0);
        row.errors.add(problem->errors(variant.result));
        outputs = row.errors.ulps.size();
      });
      if (outputs == 0) break;
    }
    for (Row& row : rows)
      if (!row.errors.ulps.empty()) row.on.emplace_back(distribution, std::exchange(row.errors, {}));
  }
  if (!does_round) return;
  for (Row& row : rows) {
    if (!row.why_not.empty()) row.on.clear();
    results[row.index].accuracy = {.on = std::move(row.on), .why_not = std::move(row.why_not)};
  }
}

Result Runner::profile(const Cell& cell, Mode mode, std::size_t launches) {
  Result result = start(cell);
  result.mode = mode;
  if (result.note.empty() && cell.experiment->updates_inputs(cell.point)) result.note = replaces_inputs;
  if (!result.note.empty()) return result;
  Device& device = *this->device(cell).device;
  try {
    const auto problem = cell.experiment->prepare(device, cell.point, options_.seed, 1);
    const Bound bound = cell.variant->bind(device, *problem, tuning_of(result));
    problem->refill(0);
    problem->poison();
    const std::string id = cell.id();
    const std::function<void(std::size_t)> launch = [&](std::size_t) {
      device.synchronize();  // the flush is over
      const Range range(device, id);
      bound.launch(0);
      device.synchronize();
    };
    for (std::size_t i = 0; i < launches; ++i)
      device.time({.launch = launch, .count = 1, .cold = mode != Mode::hot, .gated = false});
    set_verdict(result, judge(*problem, untimed(bound, 1, cell.variant->result)));
  } catch (const std::exception& error) {
    fail(result, error.what());
  }
  return result;
}

}  // namespace crosswarp
