// The Kokkos backend, on the device of its default execution space: the GPU of the handwritten kernels, or the host.
// Kokkos has one device per process, so ranks are processes.
#include "backends/kokkos/runtime.hpp"
#include "core/host_device.hpp"
#include "core/host_ranks.hpp"
#include "core/processes.hpp"
#include "core/registry.hpp"

#ifdef CROSSWARP_KOKKOS_ON_GPU
#include "backends/gpu/captured_kernels.hpp"
#include "backends/gpu/device.hpp"
#include "backends/gpu/links.hpp"
#endif

namespace crosswarp {
namespace {

class KokkosBackend final : public Backend {
 public:
  std::string name() const override { return "kokkos"; }
  std::map<std::string, std::string> versions() const override { return kokkos::versions(); }
  Execution execution() const override { return {kokkos::space(), kokkos::host_threads(), false}; }
  std::shared_ptr<Device> open_ranks(std::span<const std::size_t> ordinals) const override {
    throw Error("Kokkos has one device per process, so " + needs_processes(ordinals.size()));
  }
#ifdef CROSSWARP_KOKKOS_ON_GPU
  std::vector<DeviceInfo> devices() const override { return gpu::devices(); }
  std::string why_none() const override { return "this Kokkos runs on a GPU, and there is " + gpu::why_none(); }
  std::shared_ptr<Device> open(std::size_t index) const override {
    const std::shared_ptr<gpu::GpuDevice> device = gpu::open(index);
    kokkos::start(device->ordinal());
    return device;
  }
  std::map<std::string, std::string> facts_of_ranks(const std::vector<DeviceInfo>& gpus) const override {
    return {{ "links", gpu::links(gpus) }};
  }
  std::vector<KernelUse> kernels_of(Device& device, const std::function<void()>& launch) const override {
    return gpu::captured_kernels(static_cast<gpu::GpuDevice&>(device), launch);
  }
#else
  std::vector<DeviceInfo> devices() const override { return {host_device_info()}; }
  std::string why_none() const override { return {}; }
  std::shared_ptr<Device> open(std::size_t) const override {
    kokkos::start(0);
    return open_host_device();
  }
  std::shared_ptr<Device> open_rank(std::size_t) const override {
    kokkos::start(0);
    return std::make_shared<HostRank>(true);
  }
#endif
};

const RegisterBackend<KokkosBackend> registered;

}  // namespace
}  // namespace crosswarp
