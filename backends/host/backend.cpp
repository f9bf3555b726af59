// Plain C++ on the processor: the yardstick where there is no GPU.
#include "core/host_device.hpp"
#include "core/host_ranks.hpp"
#include "core/ranks.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

class HostBackend final : public Backend {
 public:
  std::string name() const override { return "host"; }
  std::vector<DeviceInfo> devices() const override { return {host_device_info()}; }
  std::string why_none() const override { return {}; }
  std::shared_ptr<Device> open(std::size_t) const override { return open_host_device(); }
  std::shared_ptr<Device> open_ranks(std::span<const std::size_t> ordinals) const override {
    std::vector<std::shared_ptr<Device>> ranks;
    for (std::size_t rank = 0; rank < ordinals.size(); ++rank) ranks.push_back(std::make_shared<HostRank>());
    return std::make_shared<RankGroup>(
        std::move(ranks), RankGroup::Facts{{"transport", "memory of one process"}},
        shared_cores(ordinals.size(), static_cast<std::size_t>(host_device_info().compute_units)));
  }
  std::shared_ptr<Device> open_rank(std::size_t) const override { return std::make_shared<HostRank>(true); }
  Execution execution() const override { return {"threads", launch_threads(), true}; }
  void use_threads(int threads) const override { set_launch_threads(threads); }
};

const RegisterBackend<HostBackend> registered;

}  // namespace
}  // namespace crosswarp
