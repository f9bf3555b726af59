// CUDA, written by hand.
#include "backends/gpu/device.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

class CudaBackend final : public Backend {
 public:
  std::string name() const override { return "cuda"; }
  std::vector<DeviceInfo> devices() const override { return gpu::devices(); }
  std::string why_none() const override { return gpu::why_none(); }
  std::shared_ptr<Device> open(std::size_t place) const override { return gpu::open(place); }
};

const RegisterBackend<CudaBackend> registered;

}  // namespace
}  // namespace crosswarp
