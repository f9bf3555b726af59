// The host CPU as a device: for the host backend, and for Kokkos without a GPU.
#pragma once

#include <memory>

#include "core/device.hpp"

namespace crosswarp {

/// The host device, one per process.
std::shared_ptr<Device> open_host_device();

/// Its properties, without opening it.
DeviceInfo host_device_info();

}  // namespace crosswarp
