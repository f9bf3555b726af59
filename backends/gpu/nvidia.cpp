// NVIDIA's GPUs. NVML is loaded at run time, since build machines have no driver.
#include <dlfcn.h>
#include <fmt/format.h>
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

#include <array>
#include <span>
#include <utility>

#include "backends/gpu/nvidia_features.hpp"
#include "backends/gpu/vendor.hpp"

namespace crosswarp::gpu::vendor {
namespace {

/// Throughput of a multiprocessor: operations (a multiply-add is two) or bytes per clock.
struct PerClock {
  const char* part;
  double amount;
};

/// From Volta on.
constexpr std::array memories{PerClock{"l1", 128}, PerClock{"shared", 128}};

// By compute capability: arithmetic from the CUDA C++ Programming Guide's table of throughputs, matrix units (dense)
// from the peaks in NVIDIA's white papers on A100 and H100 over their clocks and multiprocessors.
constexpr std::array ampere{PerClock{"f32", 128},          PerClock{"f64", 64},           PerClock{"f16x2", 512},
                            PerClock{"bf16x2", 256},       PerClock{"i32", 128},          PerClock{"special", 16},
                            PerClock{"tensor_f16", 2048},  PerClock{"tensor_bf16", 2048}, PerClock{"tensor_tf32", 1024},
                            PerClock{"tensor_int8", 4096}, PerClock{"tensor_f64", 128}};
constexpr std::array hopper{PerClock{"f32", 256},         PerClock{"f64", 128},          PerClock{"f16x2", 512},
                            PerClock{"bf16x2", 512},      PerClock{"i32", 128},          PerClock{"special", 16},
                            PerClock{"tensor_f16", 4096}, PerClock{"tensor_bf16", 4096}, PerClock{"tensor_tf32", 2048},
                            PerClock{"tensor_fp8", 8192}, PerClock{"tensor_int8", 8192}, PerClock{"tensor_f64", 256}};
constexpr std::array others{PerClock{"f32", 256}};

std::span<const PerClock> arithmetic(int major, int minor) {
  if (major == 8 && minor == 0) return ampere;
  if (major == 9 && minor == 0) return hopper;
  return others;
}

/// Without the stack's limit, which the driver raises for kernels that need more.
constexpr std::array limits{std::pair{"the device's printf buffer", cudaLimitPrintfFifoSize},
                            std::pair{"the device's malloc heap", cudaLimitMallocHeapSize},
                            std::pair{"L2 set aside for persisting accesses", cudaLimitPersistingL2CacheSize}};
constexpr const char* cache_preference = "the device's cache preference";

using Handle = void*;

/// nvmlUtilization_t: per cent of the last sampling period, of up to a second.
struct Utilization {
  unsigned gpu, memory;
};

/// nvmlPciInfo_t.
struct PciInfo {
  char old_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};

/// The entry points of NVML in use.
struct Nvml {
  int (*init)() = nullptr;
  int (*device_by_bus)(const char*, Handle*) = nullptr;
  int (*clock)(Handle, unsigned, unsigned*) = nullptr;
  int (*throttle)(Handle, unsigned long long*) = nullptr;
  int (*processes)(Handle, unsigned*, void*) = nullptr;
  int (*utilization)(Handle, Utilization*) = nullptr;
  int (*driver)(char*, unsigned) = nullptr;
  int (*link_state)(Handle, unsigned, unsigned*) = nullptr;
  int (*link_peer_type)(Handle, unsigned, int*) = nullptr;
  int (*link_peer)(Handle, unsigned, PciInfo*) = nullptr;
  int (*pci_info)(Handle, PciInfo*) = nullptr;
  int (*common_ancestor)(Handle, Handle, int*) = nullptr;
  bool ready = false;

  Nvml() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    const auto load = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    ready = load(init, "nvmlInit_v2") && load(device_by_bus, "nvmlDeviceGetHandleByPciBusId_v2") &&
            load(clock, "nvmlDeviceGetClockInfo") && load(driver, "nvmlSystemGetDriverVersion") && init() == 0;
    if (!load(throttle, "nvmlDeviceGetCurrentClocksEventReasons"))
      load(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    load(processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    load(utilization, "nvmlDeviceGetUtilizationRates");
    load(link_state, "nvmlDeviceGetNvLinkState");
    load(link_peer_type, "nvmlDeviceGetNvLinkRemoteDeviceType");
    load(link_peer, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
    load(pci_info, "nvmlDeviceGetPciInfo_v3");
    load(common_ancestor, "nvmlDeviceGetTopologyCommonAncestor");
  }
};

const Nvml& nvml() {
  static const Nvml library;
  return library;
}

}  // namespace

const std::string name = "NVIDIA";
const std::string runtime = "cuda";

std::string version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

void describe(const cudaDeviceProp& properties, DeviceInfo& info) {
  const int major = properties.major, minor = properties.minor;
  info.architecture = fmt::format("sm_{}{}", major, minor);
  for (const std::span<const PerClock> table : {std::span<const PerClock>(memories), arithmetic(major, minor)})
    for (const auto& [part, amount] : table) info.peaks[part] = amount * info.compute_units * info.clock;
  const Target code = target_of_code();
  info.versions["code"] = name_of(code);
  info.set_features(features_of(target_of_device(major, minor)), features_of(code));
  info.how_to_compile = how_to_build_for(properties);
}

std::string how_to_build_for(const cudaDeviceProp& properties) {
  return how_to_compile_for(target_of_device(properties.major, properties.minor).capability);
}

Telemetry telemetry(const std::string& pci_bus_id) {
  constexpr unsigned sm_clock = 1;
  constexpr std::array<std::pair<unsigned long long, const char*>, 7> reasons{{{0x4, "power cap"},
                                                                               {0x8, "hardware slowdown"},
                                                                               {0x10, "sync boost"},
                                                                               {0x20, "software thermal"},
                                                                               {0x40, "hardware thermal"},
                                                                               {0x80, "power brake"},
                                                                               {0x100, "display clocks"}}};
  Telemetry now;
  Handle device = nullptr;
  if (!nvml().ready || nvml().device_by_bus(pci_bus_id.c_str(), &device) != 0) return now;
  unsigned megahertz = 0;
  if (nvml().clock(device, sm_clock, &megahertz) == 0) now.clock = megahertz * 1e6;
  unsigned long long mask = 0;
  if (nvml().throttle && nvml().throttle(device, &mask) == 0)
    for (const auto& [bit, reason] : reasons)
      if (mask & bit) now.throttle += (now.throttle.empty() ? "" : ", ") + std::string(reason);
  return now;
}

/// The device's utilization is of all processes: it is that of others only if there are any. Containers may hide them.
std::optional<double> used_by_others(const std::string& pci_bus_id) {
  constexpr int insufficient_size = 7;  // with room for none: the number of processes is told nevertheless
  Handle device = nullptr;
  if (!nvml().ready || nvml().device_by_bus(pci_bus_id.c_str(), &device) != 0) return {};
  if (!nvml().processes || !nvml().utilization) return {};
  unsigned processes = 0;
  const int answer = nvml().processes(device, &processes, nullptr);
  if ((answer != 0 && answer != insufficient_size) || processes == 0) return {};
  if (processes == 1) return 0.0;  // this one
  Utilization used{};
  if (nvml().utilization(device, &used) != 0) return {};
  return used.gpu / 100.0;
}

State state() {
  State now;
  for (const auto& [name, limit] : limits) {
    std::size_t value = 0;
    if (cudaDeviceGetLimit(&value, limit) == cudaSuccess) now[name] = value;
  }
  cudaFuncCache cache{};
  if (cudaDeviceGetCacheConfig(&cache) == cudaSuccess) now[cache_preference] = static_cast<std::size_t>(cache);
  static_cast<void>(cudaGetLastError());
  return now;
}

std::string restore(const State& saved, cudaStream_t stream) {
  std::string changes;
  const auto note = [&](const std::string& what) { changes += (changes.empty() ? "" : ", ") + what; };
  for (const auto& [name, value] : state()) {
    const auto was = saved.find(name);
    if (was == saved.end() || was->second == value) continue;
    note(name);
    if (name == cache_preference) static_cast<void>(cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(was->second)));
    for (const auto& [limit_name, limit] : limits)
      if (name == limit_name) static_cast<void>(cudaDeviceSetLimit(limit, was->second));
  }
  cudaLaunchAttributeValue window{};
  if (cudaStreamGetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &window) == cudaSuccess &&
      window.accessPolicyWindow.num_bytes > 0) {
    note("the stream's access policy window");
    window = {};
    static_cast<void>(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &window));
  }
  if (!changes.empty()) static_cast<void>(cudaCtxResetPersistingL2Cache());
  static_cast<void>(cudaGetLastError());
  return changes;
}

#if __has_include(<nvtx3/nvToolsExt.h>)
void begin_range(const std::string& name) { nvtxRangePushA(name.c_str()); }
void end_range() noexcept { nvtxRangePop(); }
#else
void begin_range(const std::string&) {}
void end_range() noexcept {}
#endif

std::string driver_version() {
  std::array<char, 96> text{};
  if (!nvml().ready || nvml().driver(text.data(), text.size()) != 0) return {};
  return text.data();
}

/// NVLinks of the first GPU that end at the second, or at a switch, which connects all.
std::string link_between(const std::string& pci_bus_id, const std::string& peer) {
  constexpr unsigned max_links = 18;                // NVML_NVLINK_MAX_LINKS
  constexpr int remote_gpu = 0, remote_switch = 2;  // nvmlIntNvLinkDeviceType_t
  constexpr std::array<std::pair<int, const char*>, 6> ancestors{
      {{0, "on one board"}, {10, "PIX"}, {20, "PXB"}, {30, "PHB"}, {40, "NODE"}, {50, "SYS"}}};
  Handle device = nullptr, other = nullptr;
  if (!nvml().ready || nvml().device_by_bus(pci_bus_id.c_str(), &device) != 0 ||
      nvml().device_by_bus(peer.c_str(), &other) != 0)
    return {};
  PciInfo at{}, remote{};
  unsigned links = 0;
  if (nvml().link_state && nvml().link_peer_type && nvml().link_peer && nvml().pci_info &&
      nvml().pci_info(other, &at) == 0)
    for (unsigned link = 0; link < max_links; ++link) {
      unsigned is_active = 0;
      int type = 0;
      if (nvml().link_state(device, link, &is_active) != 0 || is_active == 0) continue;
      if (nvml().link_peer_type(device, link, &type) != 0) continue;
      if (type == remote_switch)
        ++links;
      else if (type == remote_gpu && nvml().link_peer(device, link, &remote) == 0)
        links += remote.domain == at.domain && remote.bus == at.bus && remote.device == at.device;
    }
  if (links > 0) return fmt::format("NV{}", links);
  int level = 0;
  if (nvml().common_ancestor && nvml().common_ancestor(device, other, &level) == 0)
    for (const auto& [of, name] : ancestors)
      if (of == level) return name;
  return {};
}

}  // namespace crosswarp::gpu::vendor
