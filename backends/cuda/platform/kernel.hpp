// How kernels are written and launched here: CUDA's launches, NVIDIA's warps.
#pragma once

#include "backends/gpu/launch.hpp"
#include "backends/gpu/nvidia_lanes.hpp"
