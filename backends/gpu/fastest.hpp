// The fastest of equivalent launches, by interleaved cold samples. A sample is of launches on distinct arrays, one
// after the other behind flushed caches, as a benchmark's is.
#pragma once

#include <algorithm>
#include <functional>

#include "backends/gpu/device_of_key.hpp"
#include "backends/gpu/fastest_by_rounds.hpp"
#include "backends/gpu/launch.hpp"
#include "core/error.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// As many launches as a benchmark's sample has: the time from one to the next counts for small ones.
inline std::size_t cold_sets(const DeviceInfo& device, std::size_t footprint) {
  constexpr std::size_t most = 20, share_of_memory = 128;
  return footprint == 0 ? 1 : std::clamp<std::size_t>(device.memory / share_of_memory / footprint, 1, most);
}

/// The index of the fastest launch, by fastest_by_rounds(). `launch(set, i)` enqueues the i-th of `count` on arrays
/// like those of `args`, with random inputs: `args` themselves need hold none yet. Each is launched once before, since
/// first launches load code. Waits for the device. Where its memory has no room for other arrays: 0.
template <class E, class Launch>
std::size_t fastest(const Queue& queue, const typename E::Args& args, std::size_t count, const Launch& launch) {
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

  return fastest_by_rounds(count, [&](std::size_t i) {
    const std::function<void(std::size_t)> launch_on = [&](std::size_t set) { launch(problem.args(set), i); };
    return device.time({.launch = launch_on, .count = sets});
  });
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
