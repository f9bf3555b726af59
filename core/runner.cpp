// The order of things for each point: verify → warm up → sample → verify again. No rate without both verdicts.
#include "core/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "core/error.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t most_launches = 20;

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double processor_clock() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Launches in a sample: as many as distinct inputs fit into a small share of the memory, so that short kernels are
/// timed over many of them and long ones need no averaging. The same for every row of a point.
std::size_t launches_in(const Device& device, std::size_t footprint, Mode mode) {
  if (mode == Mode::single) return 1;
  return std::clamp<std::size_t>(device.info().memory / 128 / std::max<std::size_t>(footprint, 1), 1, most_launches);
}

void judge(Result& result, const Problem& problem, const Bound& bound) {
  result.verdict = problem.check(result.cell.variant->result);
  if (result.verdict.ok && !bound.workspace->guards_intact()) {
    result.verdict.ok = false;
    result.verdict.where = "a guard band beside the workspace was written to";
  }
  result.status = result.verdict.ok ? Status::ok : Status::wrong;
  result.note = result.verdict.where;
}

void fail(Result& result, const std::string& why) {
  result.status = Status::failed;
  result.note = why;
}

}  // namespace

struct Runner::Contestant {
  Result* result;
  Bound bound;
  bool gated;
  std::function<void(std::size_t)> launch = {};
  double cpu = 0;  // processor seconds of all samples
};

Runner::Place Runner::place(const Backend& backend) {
  const std::string name = backend.name();
  if (!devices_.contains(name) && !why_not_.contains(name)) {
    try {
      const std::size_t count = backend.devices().size();
      if (count == 0) {
        why_not_[name] = backend.why_none();
      } else if (options_.device >= count) {
        why_not_[name] =
            fmt::format("--device {}: {} sees {} device{}", options_.device, name, count, count == 1 ? "" : "s");
      } else {
        devices_[name] = backend.open(options_.device);
      }
    } catch (const Error& error) {
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
    if (std::find(info.features.begin(), info.features.end(), feature) == info.features.end())
      return fmt::format("needs {}, which {} ({}) lacks", feature, info.name, info.architecture);
  if (const std::size_t bytes = cell.experiment->footprint(cell.point); bytes > info.memory)
    return fmt::format("needs {} MiB, {} has {}", bytes >> 20, info.name, info.memory >> 20);
  return {};
}

Result Runner::start(const Cell& cell) {
  Result result;
  result.cell = cell;
  result.note = skipped(cell);
  if (const Place where = place(*cell.backend); where.device) {
    result.device = where.device->info();
    if (result.note.empty() && where.device->lost()) fail(result, "the device was lost to an earlier fault");
  }
  if (cell.variant->not_expressible.empty()) result.cost = cell.experiment->cost(cell.point);
  return result;
}

const std::shared_ptr<Problem>& Runner::problem(Device& device, const Cell& cell, std::size_t sets) {
  const std::string key =
      fmt::format("{} {} {} {}", device.info().key, cell.experiment->name, fmt::ptr(&device), sets) + [&] {
        std::string all;  // with implied coordinates, which the name leaves out
        for (const auto& c : cell.point.coordinates()) all += fmt::format(" {}:{}", c.axis, to_string(c.value));
        return all;
      }();
  if (key != problem_key_) {
    problem_.reset();  // first, so that two large ones are never alive at once
    problem_key_.clear();
    problem_ = cell.experiment->prepare(device, cell.point, options_.seed, sets);
    problem_key_ = key;
  }
  return problem_;
}

Result Runner::verify(const Cell& cell, std::size_t sets) {
  Result result = start(cell);
  if (!result.note.empty()) return result;
  Device& device = *place(*cell.backend).device;
  try {
    const auto prepared = problem(device, cell, sets);
    Bound bound = cell.variant->bind(device, *prepared, *cell.tuning);
    prepared->poison();
    bound.log->on = true;
    for (std::size_t set = 0; set < sets; ++set) bound.launch(set);
    device.synchronize();
    judge(result, *prepared, bound);
    for (const KernelUse& kernel : bound.log->kernels)
      if (kernel.blocks * kernel.threads > result.kernel.blocks * result.kernel.threads) result.kernel = kernel;
  } catch (const std::exception& error) {
    fail(result, error.what());
  }
  return result;
}

bool Runner::lost_device() const {
  return std::any_of(devices_.begin(), devices_.end(), [](const auto& entry) { return entry.second->lost(); });
}

double Runner::measured_bandwidth(Device& device) {
  const auto [place, is_new] = bandwidths_.try_emplace(device.info().key, 0.0);
  if (is_new) place->second = measure_read_bandwidth(device);
  return place->second;
}

std::vector<Result> Runner::run(const std::vector<Cell>& cells, Mode mode, const std::vector<std::string>& backends) {
  std::vector<Result> results;
  for (const Cell& cell : cells) results.push_back(start(cell));
  std::map<Device*, std::vector<Result*>> by_device;
  for (Result& result : results) {
    result.mode = mode;
    if (result.note.empty()) by_device[place(*result.cell.backend).device].push_back(&result);
  }
  for (const auto& [device, on_device] : by_device) {
    try {
      run_on(*device, on_device, mode);
    } catch (const std::exception& error) {  // the device itself: memory, a lost context
      for (Result* result : on_device)
        if (result->status == Status::skipped || result->status == Status::ok) fail(*result, error.what());
    }
  }
  compare(results, backends);
  return results;
}

void Runner::run_on(Device& device, std::vector<Result*> results, Mode mode) {
  const Cell& first = results.front()->cell;
  const std::size_t footprint = first.experiment->footprint(first.point);
  const std::size_t launches = launches_in(device, footprint, mode);
  const std::size_t sets = mode == Mode::hot ? 1 : launches;
  const double bandwidth = measured_bandwidth(device);

  std::vector<Contestant> contestants;
  for (Result* result : results) {
    *result = verify(result->cell, sets);
    result->mode = mode;
    result->measured_bandwidth = bandwidth;
    if (result->status != Status::ok) continue;
    const VariantEntry& variant = *result->cell.variant;
    Contestant contestant{result, variant.bind(device, *problem(device, result->cell, sets), *result->cell.tuning),
                          variant.result == ResultIn::device};
    if (mode == Mode::hot)
      contestant.launch = [launch = contestant.bound.launch](std::size_t) { launch(0); };
    else
      contestant.launch = contestant.bound.launch;
    contestants.push_back(std::move(contestant));
  }
  if (contestants.empty()) return;

  const auto sample = [&](const std::function<void(std::size_t)>& launch, bool gated) {
    return device.time({.launch = launch, .count = launches, .cold = mode != Mode::hot, .gated = gated});
  };
  std::vector<std::function<double()>> turns;
  for (Contestant& contestant : contestants) {
    turns.push_back([&] {
      const double before = processor_clock();
      const double seconds = sample(contestant.launch, contestant.gated);
      contestant.cpu += processor_clock() - before;
      return seconds;
    });
  }
  const std::function<void(std::size_t)> empty = [&](std::size_t) { device.launch_empty(); };
  const std::function<double()> floor_turn = [&] { return sample(empty, true); };

  for (const auto& turn : turns) {  // warm up: modules load, clocks rise
    try {
      turn();
    } catch (const std::exception&) {  // the sampler meets it again, and reports it
    }
  }
  for (Contestant& contestant : contestants) {
    contestant.cpu = 0;
    contestant.result->measurement.before = device.telemetry();
  }
  std::vector<Samples> sampled = sample_round_robin(turns, options_.stop, wall_clock, floor_turn);

  const auto per_launch = static_cast<double>(launches);
  const double floor = median(sampled.back().seconds) / per_launch;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    Result& result = *contestants[i].result;
    Measurement& m = result.measurement;
    m.after = device.telemetry();
    m.launches = launches;
    m.stopped = sampled[i].stopped;
    m.cpu_seconds = contestants[i].cpu / static_cast<double>(sampled[i].seconds.size()) / per_launch;
    m.seconds = std::move(sampled[i].seconds);
    for (double& s : m.seconds) s /= per_launch;
    result.floor = floor;
    if (m.stopped == "error") {
      fail(result, sampled[i].error);
      continue;
    }
    conclude(device, contestants[i], static_cast<double>(footprint), sets, mode);
  }
}

void Runner::conclude(Device& device, Contestant& contestant, double footprint, std::size_t sets, Mode mode) {
  Result& result = *contestant.result;
  const auto prepared = problem(device, result.cell, sets);
  try {  // verify again, through the same path that was timed
    prepared->poison();
    device.time({.launch = contestant.launch,
                 .count = result.measurement.launches,
                 .cold = mode != Mode::hot,
                 .gated = contestant.gated});
    judge(result, *prepared, contestant.bound);
  } catch (const std::exception& error) {
    return fail(result, error.what());
  }
  if (result.status != Status::ok) {
    result.note = "after timing: " + result.note;
    return;
  }
  const double least = least_time(result.device, result.cost, footprint, sets, mode);
  if (const double t = median(result.measurement.seconds); t < least) {
    result.status = Status::implausible;
    result.note =
        fmt::format("{:.3g} s is less than the {:.3g} s that {} could take at best", t, least, result.device.name);
  } else if (contestant.gated == false) {
    result.note = "result on the host: includes the synchronisation";
  }
}

}  // namespace crosswarp
