// What a kernel takes of a device, from the runtime's own figures.
#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
inline namespace cuda {

void note_kernel(LaunchLog& log, const DeviceInfo& device, const void* kernel, dim3 grid, dim3 block,
                 std::size_t shared_bytes) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, static_cast<int>(threads), shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  log.kernels.push_back({.registers = attributes.numRegs,
                         .shared_bytes = attributes.sharedSizeBytes + shared_bytes,
                         .occupancy = static_cast<double>(resident) * static_cast<double>(threads) /
                                      static_cast<double>(device.threads_per_unit),
                         .blocks = std::size_t{grid.x} * grid.y * grid.z,
                         .threads = threads});
}

}  // namespace cuda
}  // namespace crosswarp::gpu
