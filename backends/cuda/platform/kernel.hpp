// Launches by CUDA, and NVIDIA's warp intrinsics.
#pragma once

#include "backends/gpu/launch.hpp"
#include "backends/gpu/nvidia_lanes.hpp"
