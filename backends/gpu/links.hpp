// Links between GPUs, for the context of results over ranks.
#pragma once

#include <string>
#include <vector>

#include "core/device.hpp"

namespace crosswarp::gpu {

/// `NV18` where all pairs have the same link; else `gpu0-gpu1 NV18, gpu0-gpu2 SYS, …`. `unknown` without the vendor's
/// management library.
std::string links(const std::vector<DeviceInfo>& gpus);

}  // namespace crosswarp::gpu
