// Error checks and the resource usage of kernels. Compiled once for each platform.
#include "backends/gpu/launch.hpp"

#include <map>
#include <utility>

#include "backends/gpu/name_of_kernel.hpp"
#include "core/error.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

void check(cudaError_t code, const char* what, std::source_location where) {
  if (code == cudaSuccess) return;
  ignore(cudaGetLastError());
  throw Error(std::string(what) + ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")", code, where);
}

void allow_shared_bytes(const void* kernel, std::size_t shared_bytes) {
  constexpr std::size_t default_limit = 32 << 10;  // 48 KiB less static shared memory
  if (shared_bytes <= default_limit) return;
  int device = 0;
  check(cudaGetDevice(&device), "current device");
  // Never lowered: graphs may hold launches with more.
  static std::map<std::pair<int, const void*>, std::size_t> limits;
  if (std::size_t& limit = limits[{device, kernel}]; limit < shared_bytes) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
          "shared memory of a kernel");
    limit = shared_bytes;
  }
}

void note_kernel(const Queue& queue, const void* kernel, dim3 grid, dim3 block, std::size_t shared_bytes, bool pdl) {
  if (!queue.log->on) return;
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "kernel attributes");
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, static_cast<int>(threads), shared_bytes),
        "kernel occupancy");
  queue.log->kernels.push_back({.registers = attributes.numRegs,
                                .shared_bytes = attributes.sharedSizeBytes + shared_bytes,
                                .occupancy = static_cast<double>(resident) * static_cast<double>(threads) /
                                             static_cast<double>(queue.device.threads_per_unit),
                                .blocks = std::size_t{grid.x} * grid.y * grid.z,
                                .threads = threads,
                                .pdl = pdl,
                                .name = name_of_kernel(kernel)});
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
