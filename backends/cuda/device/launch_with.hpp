// Launches with an attribute that CUDA's own launch syntax has no place for: clusters, programmatic dependence. CUDA
// only.
#pragma once

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// As launch(), with `attribute`.
template <class... Parameters, class... Arguments>
void launch_with(const cudaLaunchAttribute& attribute, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                 std::size_t shared_bytes, const Queue& queue, Arguments&&... arguments) {
  cudaLaunchAttribute attributes[]{attribute};
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = queue.stream;
  config.attrs = attributes;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(std::forward<Arguments>(arguments))...), "launch");
  if (queue.log->on)
    note_kernel(*queue.log, queue.device, reinterpret_cast<const void*>(kernel), grid, block, shared_bytes);
}

}  // namespace
}  // namespace crosswarp::gpu
