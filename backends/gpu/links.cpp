// By the vendor's management library.
#include "backends/gpu/links.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "backends/gpu/vendor.hpp"

namespace crosswarp::gpu {

std::string links(const std::vector<DeviceInfo>& gpus) {
  std::set<std::string> kinds;
  std::string all;
  for (std::size_t i = 0; i < gpus.size(); ++i)
    for (std::size_t k = i + 1; k < gpus.size(); ++k) {
      std::string link = vendor::link_between(gpus[i].versions.at("pci"), gpus[k].versions.at("pci"));
      if (link.empty()) link = "unknown";
      all += fmt::format("{}{}-{} {}", all.empty() ? "" : ", ", gpus[i].key, gpus[k].key, link);
      kinds.insert(std::move(link));
    }
  return kinds.size() == 1 ? *kinds.begin() : all;
}

}  // namespace crosswarp::gpu
