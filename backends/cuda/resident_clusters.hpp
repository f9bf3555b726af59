// Occupancy of kernels in clusters. For files that need "ptx".
#pragma once

#include <cstddef>

#include "backends/cuda/device/cluster.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// Clusters of `size` blocks of `kernel`, up to 8, that the current device holds at once; 0 where they do not fit.
/// Slow.
template <class... Parameters>
unsigned resident_clusters(void (*kernel)(Parameters...), unsigned size, unsigned threads, std::size_t shared_bytes) {
  allow_shared_bytes(reinterpret_cast<const void*>(kernel), shared_bytes);
  cudaLaunchAttribute attribute = cluster_dimension(size);
  cudaLaunchConfig_t config{};
  config.gridDim = size;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int count = 0;
  check(cudaOccupancyMaxActiveClusters(&count, reinterpret_cast<const void*>(kernel), &config), "resident clusters");
  return static_cast<unsigned>(count);
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
