// What devices have in common. The measured memory ceiling is bound by memory by construction, since the set is many
// times the cache.
#include "core/device.hpp"

#include <algorithm>

#include "core/buffer.hpp"

namespace crosswarp {

Counters Device::count(const std::vector<const Counter*>&, const std::function<void()>&, bool) {
  return {.counts = {}, .kernels = {}, .why_not = info_.name + " has none that can be read here"};
}

double measure_read_bandwidth(Device& device) {
  constexpr int reads = 8;
  const DeviceInfo& info = device.info();
  const std::size_t bytes =
      std::min(std::max(std::size_t{1} << 28, std::min(64 * info.cache, info.memory / 32)), device.free_memory() / 4);
  Buffer<float> set(device, bytes / sizeof(float));
  device.generate(set.span(), Lattice{RandomStream(0, 0), 16});
  double best = 0;
  for (int i = 0; i < reads; ++i)
    best = std::max(best, static_cast<double>(bytes) / device.time_read(std::as_bytes(set.span())));
  return best;
}

}  // namespace crosswarp
