// Backend interface: a programming model and its devices.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/device.hpp"

namespace crosswarp {

/// Registered by each backend's own file. devices() and open() may call a driver; the rest is instant.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;

  /// Visible devices, in the order of `--device`. If empty, why_none() has the reason.
  virtual std::vector<DeviceInfo> devices() const = 0;
  virtual std::string why_none() const = 0;

  /// Versions of libraries, for the context of results.
  virtual std::map<std::string, std::string> versions() const { return {}; }

  /// Opens a device by its index in devices(). Backends on one physical device return the same object.
  virtual std::shared_ptr<Device> open(std::size_t ordinal) const = 0;
};

}  // namespace crosswarp
