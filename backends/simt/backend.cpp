// The kernels of backends/cuda on the processor: for tests, never timed. One backend for each size of a warp, since
// kernels are compiled for one.
#include "backends/simt/device.hpp"
#include "core/ranks.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

template <unsigned warp_size>
class SimtBackend final : public Backend {
 public:
  std::string name() const override { return warp_size == 32 ? "simt" : "simt64"; }
  std::vector<DeviceInfo> devices() const override { return {simt::emulated_device_info(warp_size)}; }
  Execution execution() const override { return {"emulation"}; }
  std::string why_none() const override { return {}; }
  std::shared_ptr<Device> open(std::size_t) const override {
    static const auto device = std::make_shared<simt::EmulatedDevice>(warp_size);
    return device;
  }
  std::shared_ptr<Device> open_ranks(std::span<const std::size_t> ordinals) const override {
    std::vector<std::shared_ptr<Device>> ranks;
    for (std::size_t rank = 0; rank < ordinals.size(); ++rank)
      ranks.push_back(std::make_shared<simt::EmulatedDevice>(warp_size, rank));
    return std::make_shared<RankGroup>(std::move(ranks));
  }
};

const RegisterBackend<SimtBackend<32>> warps_of_32;
const RegisterBackend<SimtBackend<64>> warps_of_64;

}  // namespace
}  // namespace crosswarp
