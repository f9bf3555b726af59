// Launches by HIP, and the warp intrinsics of the GPU's vendor.
#pragma once

#include "backends/gpu/launch.hpp"
#if defined(__HIP_PLATFORM_NVIDIA__)
#include "backends/gpu/nvidia_lanes.hpp"
#else
#include "backends/gpu/amd_lanes.hpp"
#endif
