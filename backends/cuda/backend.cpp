// The CUDA backend: handwritten kernels and NVIDIA's libraries.
#include "backends/gpu/backend.hpp"

#include <fmt/format.h>
#if __has_include(<cub/version.cuh>)
#include <cub/version.cuh>
#endif

#include <map>
#include <string>
#include <vector>

#include "backends/gpu/error.hpp"
#include "backends/gpu/features.hpp"
#include "backends/gpu/links.hpp"
#include "backends/gpu/peer_features.hpp"
#include "core/error.hpp"
#include "core/ranks.hpp"
#include "core/registry.hpp"
#if CROSSWARP_HAS_CUBLAS
#include "backends/cuda/cublas.hpp"
#endif
#if CROSSWARP_HAS_NCCL
#include "backends/cuda/nccl.hpp"
#include "backends/cuda/nccl_windows.hpp"
#endif

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

/// A GPU as a rank of this process. Its memory is such that NCCL can register it, where NCCL is there.
std::shared_ptr<gpu::GpuDevice> rank_device(std::size_t ordinal) {
#if CROSSWARP_HAS_NCCL
  if (gpu::why_no_nccl_windows().empty()) return gpu::open_rank(ordinal, gpu::nccl_memory);
#endif
  return gpu::open(ordinal);
}

class CudaBackend final : public gpu::GpuBackend {
 public:
  std::string name() const override { return "cuda"; }
  Execution execution() const override { return {"CUDA"}; }
  std::map<std::string, std::string> versions() const override {
    std::map<std::string, std::string> versions;
#if CROSSWARP_HAS_CUBLAS
    if (const std::string cublas = gpu::cublas_version(); !cublas.empty()) versions["cublas"] = cublas;
#endif
#ifdef CUB_VERSION
    versions["cub"] = fmt::format("{}.{}.{}", CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
#endif
    return versions;
  }

  std::shared_ptr<Device> open_ranks(std::span<const std::size_t> ordinals) const override {
    if (const std::size_t here = devices().size(), count = ordinals.size(); here < count)
      throw Error(fmt::format("{} ranks need as many GPUs; here {} {}", count, here == 1 ? "is" : "are", here));
    std::vector<std::shared_ptr<gpu::GpuDevice>> gpus;
    for (const std::size_t ordinal : ordinals) gpus.push_back(rank_device(ordinal));
    for (const auto& gpu : gpus) {
      gpu->make_current();
      for (const auto& peer : gpus)
        if (peer != gpu) enable_peer_access(gpu->ordinal(), peer->ordinal());
    }
    std::vector<DeviceInfo> infos;
    for (const auto& gpu : gpus) infos.push_back(gpu->info());
    RankGroup::Facts facts = facts_of_ranks(infos);
    facts["transport"] = "peer access";
    return std::make_shared<RankGroup>(std::vector<std::shared_ptr<Device>>(gpus.begin(), gpus.end()), facts);
  }

  std::map<std::string, std::string> facts_of_ranks(const std::vector<DeviceInfo>& gpus) const override {
    std::map<std::string, std::string> facts{{"links", gpu::links(gpus)}};
#if CROSSWARP_HAS_NCCL
    facts["nccl"] = gpu::nccl_version();
#endif
    return facts;
  }
};

const RegisterBackend<CudaBackend> registered;

}  // namespace
}  // namespace crosswarp
