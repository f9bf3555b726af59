// The host CPU as a device: for the host backend, and for Kokkos without a GPU.
#pragma once

#include <memory>

#include "core/device.hpp"

namespace crosswarp {

/// The host device, one per process.
std::shared_ptr<Device> open_host_device();

/// Its properties, without opening it. Throws Error where CROSSWARP_HOST_CACHE, its cache's size, cannot be one.
DeviceInfo host_device_info();

/// Threads of an OpenMP region in a timed launch; 1 without OpenMP.
int launch_threads();
/// Sets that number, for variants of plain C++. 0, or more than OpenMP has: as many as it has.
void set_launch_threads(int threads);

}  // namespace crosswarp
