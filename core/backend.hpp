// A way of writing kernels, and the devices that it can reach.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/device.hpp"

namespace crosswarp {

/// Registered by each backend's own file. Listing devices may touch a driver; everything else here is instant.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;

  /// The devices it sees, in the order of `--device`. Empty where there is none: `why_none` then says why.
  virtual std::vector<DeviceInfo> devices() const = 0;
  virtual std::string why_none() const = 0;

  /// What to know of the software below it, for the context of results.
  virtual std::map<std::string, std::string> versions() const { return {}; }

  /// Opens a device by its place in `devices()`. Backends on one physical device return the same object.
  virtual std::shared_ptr<Device> open(std::size_t ordinal) const = 0;
};

}  // namespace crosswarp
