// Plain C++ on the processor: the yardstick where there is no GPU.
#include "core/host_device.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

class HostBackend final : public Backend {
 public:
  std::string name() const override { return "host"; }
  std::vector<DeviceInfo> devices() const override { return {host_device_info()}; }
  std::string why_none() const override { return {}; }
  std::shared_ptr<Device> open(std::size_t) const override { return open_host_device(); }
  Execution execution() const override { return {"threads", launch_threads(), true}; }
  void use_threads(int threads) const override { set_launch_threads(threads); }
};

const RegisterBackend<HostBackend> registered;

}  // namespace
}  // namespace crosswarp
