// Clock and power limit of AMD's GPUs, by ROCm SMI's library, which is loaded at run time: build machines have no
// driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device.hpp"

namespace crosswarp::gpu {

class RocmSmi {
 public:
  /// Loads the first of `libraries` that is installed; without one, devices have no telemetry.
  explicit RocmSmi(const std::vector<std::string>& libraries = known_libraries());

  /// Of the device with that PCI address, `0000:c1:00.0`. Empty fields where the library has no plausible answer.
  ///
  /// `throttle` is "power at its cap" where the average power has reached 99 % of the cap. The reasons that the
  /// firmware gives are not read: they stand in a structure (rsmi_gpu_metrics_t) whose layout differs between the
  /// library's versions, and no field of it tells which one a library fills in.
  Telemetry telemetry(std::string_view pci_bus_id) const;

  /// Watts.
  std::optional<double> power_cap(std::string_view pci_bus_id) const;

  /// By soname: ROCm 7, 6 and 5, Debian's, and a development package's.
  static std::vector<std::string> known_libraries();

 private:
  std::optional<std::uint32_t> index_of(std::string_view pci_bus_id) const;
  std::optional<double> clock(std::uint32_t device) const;
  std::optional<double> power(std::uint32_t device) const;

  // Of rocm_smi.h, 5.2.3 and 6.4.1; 0 is success. Frequencies in Hz, power in microwatts.
  int (*init_)(std::uint64_t flags) = nullptr;
  int (*count_)(std::uint32_t* devices) = nullptr;
  int (*pci_id_)(std::uint32_t device, std::uint64_t* id) = nullptr;
  int (*frequencies_)(std::uint32_t device, int clock, void* frequencies) = nullptr;
  int (*average_power_)(std::uint32_t device, std::uint32_t sensor, std::uint64_t* power) = nullptr;
  int (*any_power_)(std::uint32_t device, std::uint64_t* power, int* kind) = nullptr;  // from ROCm 6 on
  int (*power_cap_)(std::uint32_t device, std::uint32_t sensor, std::uint64_t* cap) = nullptr;
  bool ready_ = false;
};

}  // namespace crosswarp::gpu
