#include "backends/gpu/device_of_key.hpp"

#include <map>

#include "core/error.hpp"

namespace crosswarp::gpu {

GpuDevice& device_of_key(const std::string& key) {
  static std::map<std::string, std::shared_ptr<GpuDevice>> opened;  // listing devices is slow
  if (const auto found = opened.find(key); found != opened.end()) return *found->second;
  const std::vector<DeviceInfo> all = devices();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].key == key) return *opened.emplace(key, open(i)).first->second;
  throw Error("no device " + key);
}

}  // namespace crosswarp::gpu
