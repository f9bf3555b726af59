// Backend interface: a programming model and its devices.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/error.hpp"

namespace crosswarp {

/// Where a backend's launches run: for others than Kokkos and plain C++, `CUDA`, `HIP`, `emulation`.
struct Execution {
  std::string space;       ///< Kokkos's execution space: `Serial`, `OpenMP`, `Cuda`, `HIP`; plain C++: `threads`.
  int threads = 0;         ///< Host threads of a launch; 0 on a GPU, and for unknown.
  bool is_chosen = false;  ///< Whether use_threads() sets their number.
};

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

  /// Opens devices by their indices in devices(), 2 or more, as the ranks of one group (core/ranks.hpp), in the order
  /// of ranks. A backend whose ranks share its only device needs no more than their number. Throws Error for missing
  /// devices.
  virtual std::shared_ptr<Device> open_ranks(std::span<const std::size_t> ordinals) const {
    throw Error(name() + " runs on one device at a time; " + std::to_string(ordinals.size()) +
                " ranks need another backend");
  }

  /// Opens a device as a rank of a group whose other ranks are in other processes.
  virtual std::shared_ptr<Device> open_rank(std::size_t ordinal) const {
    if (const std::size_t count = devices().size(); ordinal >= count)
      throw Error(name() + " sees " + std::to_string(count) + " devices; the rank needs device " +
                  std::to_string(ordinal));
    return open(ordinal);
  }

  /// What is known of such devices of one host as ranks, for the context of results: links, versions of libraries.
  virtual std::map<std::string, std::string> facts_of_ranks(const std::vector<DeviceInfo>& ranks) const {
    return static_cast<void>(ranks), std::map<std::string, std::string>();
  }

  /// Threads are known after open().
  virtual Execution execution() const { return {}; }
  /// Sets the host threads of timed launches, if they can be chosen. 0: as many as OpenMP has.
  virtual void use_threads(int threads) const { static_cast<void>(threads); }

  /// Kernels of one launch that does not log them; `launch` has run before, and may run again. Empty for unknown.
  virtual std::vector<KernelUse> kernels_of(Device& device, const std::function<void()>& launch) const {
    static_cast<void>(device), static_cast<void>(launch);
    return {};
  }
};

}  // namespace crosswarp
