// Kernels of launches that do not log them, such as Kokkos's: by capture into a graph, without a profiler.
#pragma once

#include <functional>
#include <vector>

#include "backends/gpu/device.hpp"

namespace crosswarp::gpu {

/// Grid, block, registers, shared memory and occupancy of the kernels that `launch` enqueues on the device's stream.
/// They do not run. Requires an earlier launch, since first ones may allocate. Empty where the launch cannot be
/// captured.
std::vector<KernelUse> captured_kernels(GpuDevice& device, const std::function<void()>& launch);

}  // namespace crosswarp::gpu
