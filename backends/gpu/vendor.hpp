// Vendor-specific queries: device peaks, telemetry, counters, device state. Defined in nvidia.cpp or amd.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "platform/runtime.hpp"

namespace crosswarp::gpu::vendor {

extern const std::string name;     ///< `NVIDIA`
extern const std::string runtime;  ///< `cuda`

/// Version string from the number of the runtime or the driver.
std::string version(int number);

/// Fills in the current device's architecture, theoretical compute peak, features and versions, and corrects the
/// generic values that `info` already has.
void describe(const cudaDeviceProp& properties, DeviceInfo& info);

/// Advice for a build without code for a device.
std::string how_to_build_for(const cudaDeviceProp& properties);

/// From the vendor's management library where that can be loaded; empty without it.
Telemetry telemetry(const std::string& pci_bus_id);
/// Device::used_by_others, by the same library.
std::optional<double> used_by_others(const std::string& pci_bus_id);
/// Device::energy, by the same library.
std::optional<double> energy(const std::string& pci_bus_id);
/// Settings that results depend on, for the context: `power_cap_w`, `ecc` … Those that are known.
std::map<std::string, std::string> settings(const std::string& pci_bus_id);
std::string driver_version();
/// The link of two GPUs as `nvidia-smi topo -m` names it: `NV18` (18 NVLinks), `PIX` … `SYS` (over PCIe); empty for
/// unknown.
std::string link_between(const std::string& pci_bus_id, const std::string& peer);

/// Whether other processes can map a device's memory for their kernels.
bool shares_memory();
/// What another process needs to map an allocation of the current device.
std::vector<std::byte> share(void* allocation);
/// Maps it for kernels on the current device, another one than the owner's, too, where the two have peer access.
void* map_shared(std::span<const std::byte> handle);
void unmap_shared(void* memory) noexcept;

/// Reads counters over `launch`, which enqueues one launch of a cell and waits for it; called several times, after the
/// first time each with `before` before it, which runs `kernels_before` kernels. Or over the last launch of `process`:
/// AMD's profiler must start the program. Throws Error, with what to do, where none can be read.
Counters count(int ordinal, const std::vector<const Counter*>& wanted, std::size_t kernels_before,
               const std::function<void()>& before, const std::function<void()>& launch,
               const ProfiledProcess& process);

/// Device limits and preferences that a launch could change for later ones, by name.
using State = std::map<std::string, std::size_t>;
State state();

/// Restores limits that differ from `saved`, and resets the stream's access policy and persisting L2 lines. Returns the
/// names of the changes, comma-separated.
std::string restore(const State& saved, cudaStream_t stream);

/// Begins a profiler range, until end_range(). Ranges nest.
void begin_range(const std::string& name);
void end_range() noexcept;

}  // namespace crosswarp::gpu::vendor
