// The HIP backend: the kernels of backends/cuda for AMD's GPUs, or for NVIDIA's on CUDA's device layer.
#include <hip/hip_version.h>

#include "backends/gpu/backend.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

class HipBackend final : public gpu::GpuBackend {
 public:
  std::string name() const override { return "hip"; }
  Execution execution() const override { return {"HIP"}; }
  std::map<std::string, std::string> versions() const override {
    return {{"hip", std::to_string(HIP_VERSION_MAJOR) + "." + std::to_string(HIP_VERSION_MINOR)}};
  }
};

const RegisterBackend<HipBackend> registered;

}  // namespace
}  // namespace crosswarp
