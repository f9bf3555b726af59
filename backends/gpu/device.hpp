// The physical GPU: one object for every backend that runs on it, so that their rows share inputs, stream and timer.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "platform/runtime.hpp"

namespace crosswarp::gpu {

/// Functions that allocate and free device memory, of the current device: cudaMalloc and cudaFree, or a library's.
struct MemorySource {
  cudaError_t (*allocate)(void** memory, std::size_t bytes);
  cudaError_t (*release)(void* memory);
};

/// A device with its stream. All work of a backend goes to `stream()`, which relocate() changes.
class GpuDevice : public Device {
 public:
  cudaStream_t stream() const { return stream_; }
  int ordinal() const { return ordinal_; }
  /// Allocates from `source` from now on. Each allocation is released to the source that it came from.
  void allocate_from(const MemorySource& source) { source_ = source; }

 protected:
  GpuDevice(DeviceInfo info, int ordinal) : Device(std::move(info)), ordinal_(ordinal) {}
  int ordinal_;
  cudaStream_t stream_ = nullptr;
  MemorySource source_ = runtime_memory();

 private:
  static MemorySource runtime_memory();
};

/// Devices that this build has code for. Starts the driver.
std::vector<DeviceInfo> devices();

/// Why `devices()` is empty.
std::string why_none();

/// The device with this index in `devices()`; one object for all callers.
std::shared_ptr<GpuDevice> open(std::size_t index);

/// The same GPU as a rank, whose memory comes from `source` (of the first call). An object apart from that of open():
/// the memory of experiments on one GPU stays as it is.
std::shared_ptr<GpuDevice> open_rank(std::size_t index, const MemorySource& source);

}  // namespace crosswarp::gpu
