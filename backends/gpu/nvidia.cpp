// NVIDIA's GPUs.
#include <fmt/format.h>
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "backends/gpu/error.hpp"
#include "backends/gpu/nvidia_features.hpp"
#include "backends/gpu/nvidia_ml.hpp"
#include "backends/gpu/vendor.hpp"
#include "core/error.hpp"

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

Telemetry telemetry(const std::string& pci_bus_id) { return nvml().telemetry(pci_bus_id); }
std::optional<double> energy(const std::string& pci_bus_id) { return nvml().energy(pci_bus_id); }
std::optional<double> used_by_others(const std::string& pci_bus_id) { return nvml().used_by_others(pci_bus_id); }
std::map<std::string, std::string> settings(const std::string& pci_bus_id) { return nvml().settings(pci_bus_id); }

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

std::string driver_version() { return nvml().driver_version(); }

std::string link_between(const std::string& pci_bus_id, const std::string& peer) {
  return nvml().link_between(pci_bus_id, peer);
}

// CUDA IPC: a handle is of a whole allocation.

bool shares_memory() { return true; }

std::vector<std::byte> share(void* allocation) {
  cudaIpcMemHandle_t handle{};
  check(cudaIpcGetMemHandle(&handle, allocation), "share memory with other processes");
  const auto bytes = std::as_bytes(std::span(&handle, 1));
  return {bytes.begin(), bytes.end()};
}

void* map_shared(std::span<const std::byte> handle) {
  cudaIpcMemHandle_t of{};
  if (handle.size() != sizeof of) throw Error("memory shared by a device of another kind");
  std::memcpy(&of, handle.data(), sizeof of);
  void* memory = nullptr;
  check(cudaIpcOpenMemHandle(&memory, of, cudaIpcMemLazyEnablePeerAccess), "map another process's memory");
  return memory;
}

void unmap_shared(void* memory) noexcept { ignore(cudaIpcCloseMemHandle(memory)); }

}  // namespace crosswarp::gpu::vendor
