// Launches whose blocks spread evenly over the multiprocessors, for kernels of which several blocks fit on one. With
// programmatic dependent launch (PDL) a grid starts before the launch before it has ended, and its blocks settle where
// there is room: two on one multiprocessor and none on another, if they do not fill the device. A product can take
// twice the time. Blocks spread if the next launch starts late, launch_dependents(), and if no multiprocessor has room
// for more than its share of them, launch_spread().
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// The two halves of grid_dependency_sync(): the wait for the launch before, by every thread that needs its writes, and
/// behind the main loop the start of the next one, which begins once each block has called it or ended. No-ops below
/// sm_90 and in launches without PDL.
__device__ inline void grid_dependency_wait() {
#if CROSSWARP_HAS_PTX
#if CROSSWARP_TARGET_FROM_SM90
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
#endif
}
__device__ inline void launch_dependents() {
#if CROSSWARP_HAS_PTX
#if CROSSWARP_TARGET_FROM_SM90
  asm volatile("griddepcontrol.launch_dependents;");
#endif
#endif
}

#if CROSSWARP_HAS_PTX
/// Bytes of shared memory of a device. A block gets a multiple of 128, the reserved ones included.
struct SharedMemory {
  std::size_t of_multiprocessor, most_of_block, reserved_of_block;
};

/// Most dynamic shared memory with which `blocks` blocks fit on a multiprocessor, each with `static_bytes` beside it; 0
/// where they do not fit.
constexpr std::size_t shared_bytes_of_share(const SharedMemory& memory, std::size_t static_bytes, std::size_t blocks) {
  constexpr std::size_t granule = 128;
  const std::size_t share = memory.of_multiprocessor / blocks / granule * granule;
  const std::size_t of_block = std::min(memory.most_of_block, share - std::min(share, memory.reserved_of_block));
  return of_block - std::min(of_block, static_bytes);
}

/// The same of a kernel on the current device.
inline std::size_t shared_bytes_of_share(const void* kernel, std::size_t blocks) {
  const auto attribute = [](cudaDeviceAttr which) {
    int device = 0, value = 0;
    check(cudaGetDevice(&device), "current device");
    check(cudaDeviceGetAttribute(&value, which, device), "shared memory of a device");
    return static_cast<std::size_t>(value);
  };
  cudaFuncAttributes of_kernel{};
  check(cudaFuncGetAttributes(&of_kernel, kernel), "kernel attributes");
  const SharedMemory memory{.of_multiprocessor = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
                            .most_of_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
                            .reserved_of_block = attribute(cudaDevAttrReservedSharedMemoryPerBlock)};
  return shared_bytes_of_share(memory, of_kernel.sharedSizeBytes, blocks);
}
#endif

/// As launch(), with so much dynamic shared memory that no more than ceil(blocks / multiprocessors) fit on one by it.
template <class... Parameters, class... Arguments>
void launch_spread(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, const Queue& queue,
                   Arguments&&... arguments) {
#if CROSSWARP_HAS_PTX
  static std::map<std::tuple<std::string, const void*, unsigned>, std::size_t> known;  // the queries are slow
  const auto* const pointer = reinterpret_cast<const void*>(kernel);
  const unsigned share = blocks_for(std::size_t{grid.x} * grid.y * grid.z, std::max(1, queue.device.compute_units));
  const auto [found, is_new] = known.try_emplace({queue.device.key, pointer, share}, 0);
  if (is_new) found->second = shared_bytes_of_share(pointer, share);
  shared_bytes = std::max(shared_bytes, found->second);
#endif
  launch(kernel, grid, block, shared_bytes, queue, std::forward<Arguments>(arguments)...);
}

}  // namespace
}  // namespace crosswarp::gpu
