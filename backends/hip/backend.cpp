// HIP: the kernels of backends/cuda, compiled for AMD's GPUs; or for NVIDIA's, where CUDA's device layer serves it.
#include <hip/hip_version.h>

#include "backends/gpu/backend.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

class HipBackend final : public gpu::GpuBackend {
 public:
  std::string name() const override { return "hip"; }
  std::map<std::string, std::string> versions() const override {
    return {{"hip", std::to_string(HIP_VERSION_MAJOR) + "." + std::to_string(HIP_VERSION_MINOR)}};
  }
};

const RegisterBackend<HipBackend> registered;

}  // namespace
}  // namespace crosswarp
