// The processor that the program itself runs on, as a device: for `host`, and for Kokkos without a GPU.
#pragma once

#include <memory>

#include "core/device.hpp"

namespace crosswarp {

/// The one host device of this process.
std::shared_ptr<Device> open_host_device();

/// Its facts, without opening it.
DeviceInfo host_device_info();

}  // namespace crosswarp
