// What differs between makers of GPUs beyond names; nvidia.cpp or amd.cpp, whichever the build is for, defines it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "platform/runtime.hpp"

namespace crosswarp::gpu::vendor {

extern const std::string name;     ///< `NVIDIA`
extern const std::string runtime;  ///< `cuda`

/// Of the runtime or the driver, from their own number for it.
std::string version(int number);

/// Fills in architecture, theoretical compute peak, features and versions of the current device, and corrects what does
/// not hold for it. `info` has the rest already.
void describe(const cudaDeviceProp& properties, DeviceInfo& info);

/// What to do where a build has no code for a device.
std::string how_to_build_for(const cudaDeviceProp& properties);

/// From the vendor's management library where that can be loaded; empty without it.
Telemetry telemetry(const std::string& pci_bus_id);
std::string driver_version();

/// Reads counters over `launch`, which enqueues one launch of a cell and waits for it; called several times, after the
/// first time each with `before` before it, which runs `kernels_before` kernels. Throws Error, with what to do, where
/// none can be read.
Counters count(int ordinal, const std::vector<const Counter*>& wanted, std::size_t kernels_before,
               const std::function<void()>& before, const std::function<void()>& launch);

/// What a launch could change for those after it: device limits and preferences, by name.
using State = std::map<std::string, std::size_t>;
State state();

/// Puts back what differs from `saved`, and ends any access policy of `stream` and what it keeps in L2. Returns the names
/// of what was changed, comma-separated.
std::string restore(const State& saved, cudaStream_t stream);

/// A range that profilers show, until end_range(). They nest.
void begin_range(const std::string& name);
void end_range() noexcept;

}  // namespace crosswarp::gpu::vendor
