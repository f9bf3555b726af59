// The fastest of equivalent launches, by interleaved cold samples. A sample is of launches on distinct arrays, one
// after the other behind flushed caches, as a benchmark's is.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "backends/gpu/device_of_key.hpp"
#include "backends/gpu/launch.hpp"
#include "core/error.hpp"
#include "core/statistics.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// As many launches as a benchmark's sample has: the time from one to the next counts for small ones.
inline std::size_t cold_sets(const DeviceInfo& device, std::size_t footprint) {
  constexpr std::size_t most = 20, share_of_memory = 128;
  return footprint == 0 ? 1 : std::clamp<std::size_t>(device.memory / share_of_memory / footprint, 1, most);
}

/// The index of the launch with the shortest median time. `launch(set, i)` enqueues the i-th of `count` on arrays like
/// those of `args`, with random inputs: `args` themselves need hold none yet. Each is launched once before, since first
/// launches load code; then all take turns, so that a clock that changes changes for all, each with another one first
/// in turn. Those that take more than twice the shortest time of the first rounds drop out; those whose median is within
/// 3 % of the shortest have three times as many rounds as others. Waits for the device. Where its memory has no room for
/// other arrays: 0.
template <class E, class Launch>
std::size_t fastest(const Queue& queue, const typename E::Args& args, std::size_t count, const Launch& launch) {
  constexpr int trial_rounds = 2, rounds = 8, rounds_of_near = 24;
  constexpr double hopeless = 2, near = 1.03;
  constexpr std::uint64_t seed = 1;
  if (count == 0) throw Error("no kernel to choose from");
  if (count == 1) return 0;
  GpuDevice& device = device_of_key(queue.device.key);
  const Point point = E::point(args);
  const std::size_t footprint = E::footprint(point), sets = cold_sets(queue.device, footprint);
  if (sets == 1 && device.free_memory() < footprint + footprint / 8) return 0;
  E problem(device, point, seed, sets);
  problem.refill(0);
  for (std::size_t i = 0; i < count; ++i) launch(problem.args(0), i);
  device.synchronize();

  std::vector<std::vector<double>> times(count);
  const auto shortest = [&](std::size_t i) { return *std::ranges::min_element(times[i]); };
  const auto median_time = [&](std::size_t i) { return median(times[i]); };
  std::vector<std::size_t> left(count);
  std::iota(left.begin(), left.end(), 0);
  const auto drop = [&](const auto& time, double most) {
    const double least = time(std::ranges::min(left, {}, time));
    std::erase_if(left, [&](std::size_t i) { return time(i) > most * least; });
  };
  for (int round = 0; round < rounds_of_near; ++round) {
    if (round == trial_rounds) drop(shortest, hopeless);
    if (round == rounds) drop(median_time, near);
    if (left.size() == 1) break;
    for (const std::size_t i : left) {
      const std::function<void(std::size_t)> launch_on = [&](std::size_t set) { launch(problem.args(set), i); };
      times[i].push_back(device.time({.launch = launch_on, .count = sets}));
    }
    std::rotate(left.begin(), left.begin() + 1, left.end());
  }
  return std::ranges::min(left, {}, median_time);
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
