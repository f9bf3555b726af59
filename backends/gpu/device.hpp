// The physical GPU: one object for every backend that runs on it, so that their rows share inputs, stream and timer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "platform/runtime.hpp"

namespace crosswarp::gpu {

/// A device with its stream. All work of a backend goes to `stream()`, which relocate() changes.
class GpuDevice : public Device {
 public:
  cudaStream_t stream() const { return stream_; }
  int ordinal() const { return ordinal_; }

 protected:
  GpuDevice(DeviceInfo info, int ordinal) : Device(std::move(info)), ordinal_(ordinal) {}
  int ordinal_;
  cudaStream_t stream_ = nullptr;
};

/// Devices that this build has code for. Starts the driver.
std::vector<DeviceInfo> devices();

/// Why `devices()` is empty.
std::string why_none();

/// The device with this index in `devices()`; one object for all callers.
std::shared_ptr<GpuDevice> open(std::size_t index);

}  // namespace crosswarp::gpu
