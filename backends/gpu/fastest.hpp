// The fastest of several launches that do the same, for variants that choose by measurement: the samples are a
// benchmark's, of one launch each behind flushed caches.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/gpu/launch.hpp"
#include "core/statistics.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// The device of the queue.
inline GpuDevice& device_of(const Queue& queue) {
  static std::map<std::string, std::shared_ptr<GpuDevice>> opened;  // listing devices is slow
  std::shared_ptr<GpuDevice>& device = opened[queue.device.key];
  const std::vector<DeviceInfo> all = device ? std::vector<DeviceInfo>() : devices();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].key == queue.device.key) device = open(i);
  if (!device) throw Error("no device " + queue.device.key);
  return *device;
}

/// The index of the launch with the shortest median time. `launch(i)` enqueues the i-th of `count`, one or more. Each
/// is launched once before, since first launches load code; then all take turns, so that a clock that changes changes
/// for all, and those that take more than twice the shortest time of the first round drop out. Waits for the device.
inline std::size_t fastest(const Queue& queue, std::size_t count, const std::function<void(std::size_t)>& launch) {
  constexpr int rounds = 9;
  constexpr double hopeless = 2;
  if (count == 1) return 0;
  GpuDevice& device = device_of(queue);
  for (std::size_t i = 0; i < count; ++i) launch(i);
  device.synchronize();
  std::vector<std::vector<double>> times(count);
  double shortest = 0;  // of the first round
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      if (round > 0 && times[i].front() > hopeless * shortest) continue;
      const std::function<void(std::size_t)> launch_it = [&](std::size_t) { launch(i); };
      times[i].push_back(device.time({.launch = launch_it}));
    }
    if (round == 0) shortest = std::ranges::min_element(times)->front();
  }
  const auto median_of = [](const std::vector<double>& samples) { return median(samples); };
  return static_cast<std::size_t>(std::ranges::min_element(times, {}, median_of) - times.begin());
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
