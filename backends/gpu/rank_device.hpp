// A GPU as a rank of this process: its memory comes from where a library can register it.
#pragma once

#include <cstddef>
#include <memory>

#include "backends/gpu/device.hpp"

namespace crosswarp::gpu {

/// Functions that allocate and free memory of the current device: cudaMalloc and cudaFree, or a library's.
struct MemorySource {
  cudaError_t (*allocate)(void** memory, std::size_t bytes);
  cudaError_t (*release)(void* memory);
};

/// The device with this index in `devices()`, whose memory comes from `source` (of the first call). An object apart
/// from that of open(): the memory of experiments on one GPU stays as it is.
std::shared_ptr<GpuDevice> open_rank(std::size_t index, const MemorySource& source);

}  // namespace crosswarp::gpu
