// Base class of the backends that are views of the physical GPUs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/gpu/device.hpp"
#include "core/backend.hpp"

namespace crosswarp::gpu {

class GpuBackend : public Backend {
 public:
  std::vector<DeviceInfo> devices() const override { return gpu::devices(); }
  std::string why_none() const override { return gpu::why_none(); }
  std::shared_ptr<Device> open(std::size_t index) const override { return gpu::open(index); }
};

}  // namespace crosswarp::gpu
