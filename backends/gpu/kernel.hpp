// What handwritten kernels are written against: launches, warps and lane masks, without a vendor's name. The same
// kernel file can so be compiled for other GPUs.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "backends/gpu/device.hpp"
#include "backends/gpu/error.hpp"
#include "core/variant.hpp"

namespace crosswarp::gpu {
inline namespace cuda {

/// Where a variant's launches go.
struct Queue : LaunchContext {
  static constexpr std::string_view backend = "cuda";

  Queue(Device& device, LaunchContext context)
      : LaunchContext(context), stream(static_cast<GpuDevice&>(device).stream()) {}

  cudaStream_t stream;
};

/// Registers the variant that stands in this file.
template <class E>
using Register = crosswarp::Register<E, Queue>;

/// Notes what a kernel takes of the device.
void note_kernel(LaunchLog& log, const DeviceInfo& device, const void* kernel, dim3 grid, dim3 block,
                 std::size_t shared_bytes);

/// Launches `kernel` with `shared_bytes` of dynamic shared memory. Arguments are converted to the kernel's parameters.
/// Throws Error where the launch is refused.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, const Queue& queue,
            Arguments&&... arguments) {
  kernel<<<grid, block, shared_bytes, queue.stream>>>(static_cast<Parameters>(std::forward<Arguments>(arguments))...);
  check(cudaGetLastError(), "launch");
  if (queue.log->on)
    note_kernel(*queue.log, queue.device, reinterpret_cast<const void*>(kernel), grid, block, shared_bytes);
}

/// Enqueues zeros over `memory`.
template <class T>
void clear(const Queue& queue, std::span<T> memory) {
  check(cudaMemsetAsync(memory.data(), 0, memory.size_bytes(), queue.stream), "clear");
}

/// Blocks of `per_block` that cover n, and at least one: an empty grid is no launch.
constexpr unsigned blocks_for(std::size_t n, std::size_t per_block) {
  return static_cast<unsigned>(std::max<std::size_t>(1, (n + per_block - 1) / per_block));
}

/// Lanes of a warp, as a constant of the compilation.
__device__ constexpr unsigned warp_size() { return 32; }

using LaneMask = std::uint64_t;  // 64 bits: a warp may have 64 lanes

__device__ constexpr LaneMask all_lanes() { return ~LaneMask{0} >> (64 - warp_size()); }

/// The value of lane (own + delta); the own value where there is no such lane. Every lane of `lanes` must call it.
template <class T>
__device__ T shuffle_down(T value, unsigned delta, LaneMask lanes = all_lanes()) {
  return __shfl_down_sync(static_cast<unsigned>(lanes), value, delta);
}

}  // namespace cuda
}  // namespace crosswarp::gpu
