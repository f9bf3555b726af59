// Autotuning: the fastest of equivalent launches, by interleaved cold samples. A sample is of launches on distinct
// arrays, one after the other behind flushed caches, as a benchmark's is.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/gpu/launch.hpp"
#include "core/buffer.hpp"
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

/// The arrays `a`, `b` and `c` of `Args` several times over. Launches on one after the other all find them cold.
template <class Args>
class ColdSets {
 public:
  /// The first set is `args`, of the others `a` and `b` are copies. At most as many as a benchmark's sample has, in a
  /// 256th of the memory, half of a benchmark's. Inputs are what the arrays hold when a variant is bound.
  ColdSets(const Queue& queue, const Args& args) : sets_{args} {
    constexpr std::size_t most = 20;
    const std::size_t bytes = args.a.size_bytes() + args.b.size_bytes() + args.c.size_bytes();
    const std::size_t count = bytes == 0 ? 1 : std::min(most, queue.device.memory / 256 / bytes);
    while (sets_.size() < count) {
      Args set = args;
      set.a = copied(queue, args.a);
      set.b = copied(queue, args.b);
      buffers_.emplace_back(device_of(queue), args.c.size_bytes());
      set.c = buffers_.back().span();
      sets_.push_back(set);
    }
  }

  std::size_t size() const { return sets_.size(); }
  const Args& operator[](std::size_t i) const { return sets_[i]; }

 private:
  template <class T>
  std::span<const T> copied(const Queue& queue, std::span<const T> from) {
    buffers_.emplace_back(device_of(queue), from.size_bytes());
    const std::span to(reinterpret_cast<T*>(buffers_.back().span().data()), from.size());
    copy(queue, to, from);
    return to;
  }

  std::vector<Args> sets_;
  std::vector<Buffer<std::byte>> buffers_;
};

/// The index of the launch with the shortest median time. `launch(set, i)` enqueues the i-th of `count`, one or more,
/// on a set of arrays. Each is launched once before, since first launches load code; then all take turns, so that a
/// clock that changes changes for all, and those that take more than twice the shortest time of the first round drop
/// out. Waits for the device.
template <class Args, class Launch>
std::size_t fastest(const Queue& queue, const Args& args, std::size_t count, const Launch& launch) {
  constexpr int rounds = 7;
  constexpr double hopeless = 2;
  if (count == 1) return 0;
  const ColdSets sets(queue, args);
  GpuDevice& device = device_of(queue);
  for (std::size_t i = 0; i < count; ++i) launch(args, i);
  device.synchronize();
  std::vector<std::vector<double>> times(count);
  double shortest = 0;  // of the first round
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      if (round > 0 && times[i].front() > hopeless * shortest) continue;
      const std::function<void(std::size_t)> launch_on = [&](std::size_t set) { launch(sets[set], i); };
      times[i].push_back(device.time({.launch = launch_on, .count = sets.size()}));
    }
    if (round == 0) shortest = std::ranges::min_element(times)->front();
  }
  const auto median_of = [](const std::vector<double>& samples) { return median(samples); };
  return static_cast<std::size_t>(std::ranges::min_element(times, {}, median_of) - times.begin());
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
