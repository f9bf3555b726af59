// The CUDA backend: handwritten kernels and NVIDIA's libraries.
#include "backends/gpu/backend.hpp"

#include <fmt/format.h>

#include "backends/gpu/error.hpp"
#include "core/error.hpp"
#include "core/ranks.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

/// Lets kernels on the current GPU load and store the memory of `peer`. Throws Error where they cannot.
void enable_peer_access(int current, int peer) {
  int can = 0;
  gpu::check(cudaDeviceCanAccessPeer(&can, current, peer), "peer access");
  if (can == 0) throw Error(fmt::format("gpu{} has no access to the memory of gpu{}", current, peer));
  const cudaError_t code = cudaDeviceEnablePeerAccess(peer, 0);
  if (code == cudaErrorPeerAccessAlreadyEnabled)
    gpu::ignore(cudaGetLastError());
  else
    gpu::check(code, "peer access");
}

class CudaBackend final : public gpu::GpuBackend {
 public:
  std::string name() const override { return "cuda"; }
  Execution execution() const override { return {"CUDA"}; }

  std::shared_ptr<Device> open_ranks(std::size_t count) const override {
    if (const std::size_t here = devices().size(); here < count)
      throw Error(fmt::format("{} ranks need as many GPUs; here {} {}", count, here == 1 ? "is" : "are", here));
    std::vector<std::shared_ptr<gpu::GpuDevice>> gpus;
    for (std::size_t rank = 0; rank < count; ++rank) gpus.push_back(gpu::open(rank));
    for (const auto& gpu : gpus) {
      gpu->make_current();
      for (const auto& peer : gpus)
        if (peer != gpu) enable_peer_access(gpu->ordinal(), peer->ordinal());
    }
    return std::make_shared<RankGroup>(std::vector<std::shared_ptr<Device>>(gpus.begin(), gpus.end()));
  }
};

const RegisterBackend<CudaBackend> registered;

}  // namespace
}  // namespace crosswarp
