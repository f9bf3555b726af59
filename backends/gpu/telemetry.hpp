// Clocks and throttle reasons, from the driver's management library where that can be loaded.
#pragma once

#include <string>

#include "core/device.hpp"

namespace crosswarp::gpu {

/// Loads the library once; without it every answer is empty.
Telemetry telemetry(const std::string& pci_bus_id);
std::string driver_version();

}  // namespace crosswarp::gpu
