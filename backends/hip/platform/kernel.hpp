// How kernels are written and launched here: HIP's launches, the warps of the GPU's maker.
#pragma once

#include "backends/gpu/launch.hpp"
#if defined(__HIP_PLATFORM_NVIDIA__)
#include "backends/gpu/nvidia_lanes.hpp"
#else
#include "backends/gpu/amd_lanes.hpp"
#endif
