// The CUDA backend: handwritten kernels and NVIDIA's libraries.
#include "backends/gpu/backend.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

class CudaBackend final : public gpu::GpuBackend {
 public:
  std::string name() const override { return "cuda"; }
  Execution execution() const override { return {"CUDA"}; }
};

const RegisterBackend<CudaBackend> registered;

}  // namespace
}  // namespace crosswarp
