// AMD's GPUs. Clocks come from ROCm SMI, counters from rocprofv3; neither has run on a device yet.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "backends/gpu/amd_counters.hpp"
#include "backends/gpu/amd_ranges.hpp"
#include "backends/gpu/amd_smi.hpp"
#include "backends/gpu/error.hpp"
#include "backends/gpu/vendor.hpp"
#include "core/error.hpp"

namespace crosswarp::gpu::vendor {
namespace {

/// What the runtime does not tell of an architecture, or not in the same unit for each. 0 where no source is known.
struct Architecture {
  std::string_view name;
  int flops;               ///< FP32, of a compute unit in a clock, without matrix units.
  int transfers;           ///< Of the memory's bus in one of the memory clocks that the runtime tells.
  std::size_t last_cache;  ///< MiB behind L2, which is the last one where this is 0.
};

/// FLOPs: white papers of CDNA 2 and CDNA 3 (packed FP32: two multiply-adds a lane). Transfers: the same papers'
/// bandwidth over clock and bus width (MI250X: 1.6 TB/s a die of 1.6 GHz and 4096 bits; MI300X: 5.3 TB/s of 1.3 GHz and
/// 8192 bits). Caches: ROCm's documentation, "AMD GPU specifications", the largest of each architecture.
constexpr std::array architectures{
    Architecture{"gfx90a", 256, 2, 0},
    Architecture{"gfx942", 256, 4, 256},
    Architecture{"gfx1100", 0, 0, 96},
};

/// `gfx90a` of `gfx90a:sramecc+:xnack-`.
std::string architecture(const cudaDeviceProp& properties) {
  const std::string_view name = properties.gcnArchName;
  return std::string(name.substr(0, name.find(':')));
}

}  // namespace

const std::string name = "AMD";
const std::string runtime = "hip";

std::string version(int number) {
  return fmt::format("{}.{}.{}", number / 10'000'000, number / 100'000 % 100, number % 100'000);
}

void describe(const cudaDeviceProp& properties, DeviceInfo& info) {
  info.architecture = architecture(properties);
  const auto known = std::ranges::find(architectures, info.architecture, &Architecture::name);
  const Architecture facts = known == architectures.end() ? Architecture{} : *known;
  info.peaks["f32"] = facts.flops * info.compute_units * info.clock;
  info.peaks["memory"] *= facts.transfers / 2.0;  // two are counted already
#if defined(CROSSWARP_AMD_EMULATED)
  info.emulated = true;
#endif
  if (facts.last_cache > 0 && !info.emulated) info.cache = facts.last_cache << 20;  // what a cold run reads to flush it
  if (properties.cooperativeLaunch) info.features = {"cooperative"};
  if (info.architecture == "gfx90a" || info.architecture.starts_with("gfx94")) info.features.push_back("mfma");
}

std::string how_to_build_for(const cudaDeviceProp& properties) {
  return "configure with -DCMAKE_HIP_ARCHITECTURES=" + architecture(properties);
}

namespace {

const RocmSmi& smi() {
  static const RocmSmi library;
  return library;
}

}  // namespace

Telemetry telemetry(const std::string& pci_bus_id) { return smi().telemetry(pci_bus_id); }

/// Not read: the library's counter (rsmi_dev_energy_count_get) has been seen on no device yet.
std::optional<double> energy(const std::string& pci_bus_id) {
  static_cast<void>(pci_bus_id);
  return {};
}

std::map<std::string, std::string> settings(const std::string& pci_bus_id) {
  const auto cap = smi().power_cap(pci_bus_id);
  return cap ? std::map<std::string, std::string>{{"power_cap_w", fmt::format("{:.0f}", *cap)}}
             : std::map<std::string, std::string>{};
}

/// Unknown: ROCm SMI tells how busy a device is, but not whether by others, since its processes are those of all
/// devices.
std::optional<double> used_by_others(const std::string& pci_bus_id) {
  static_cast<void>(pci_bus_id);
  return {};
}

std::string link_between(const std::string&, const std::string&) { return {}; }

// No experiment over ranks can be expressed in HIP (backends/gpu/peer_features.hpp).
bool shares_memory() { return false; }
std::vector<std::byte> share(void*) { throw Error("memory of AMD's GPUs is not shared between processes"); }
void* map_shared(std::span<const std::byte>) { throw Error("memory of AMD's GPUs is not shared between processes"); }
void unmap_shared(void*) noexcept {}

/// Of the kernel's module, where AMD's own is installed. The kernel's built-in one has no version but the kernel's.
std::string driver_version() {
  std::string version;
  std::ifstream("/sys/module/amdgpu/version") >> version;
  return version;
}

Counters count(int ordinal, const std::vector<const Counter*>& wanted, std::size_t, const std::function<void()>&,
               const std::function<void()>&, const ProfiledProcess& process) {
#if defined(CROSSWARP_AMD_EMULATED)
  static_cast<void>(ordinal), static_cast<void>(wanted), static_cast<void>(process);
  throw Error("the device is emulated and has no hardware counters");
#else
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "device properties");
  return Rocprof().count({.architecture = architecture(properties),
                          .warps_per_unit = properties.maxThreadsPerMultiProcessor / properties.warpSize},
                         wanted, process);
#endif
}

State state() { return {}; }
std::string restore(const State&, cudaStream_t) { return {}; }

namespace {

const Roctx& roctx() {
  static const Roctx library;
  return library;
}

}  // namespace

void begin_range(const std::string& name) { roctx().push(name); }
void end_range() noexcept { roctx().pop(); }

}  // namespace crosswarp::gpu::vendor
