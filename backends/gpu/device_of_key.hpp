// A device by its key, for variants that need it before launches.
#pragma once

#include <string>

#include "backends/gpu/device.hpp"

namespace crosswarp::gpu {

/// The device of devices() with this key. Throws Error if there is none.
GpuDevice& device_of_key(const std::string& key);

}  // namespace crosswarp::gpu
