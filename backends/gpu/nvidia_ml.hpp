// Clock, throttling, energy and settings of NVIDIA's GPUs, by NVML, which is loaded at run time: build machines have no
// driver.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/device.hpp"

namespace crosswarp::gpu {

class Nvml {
 public:
  /// Without the library nothing below has a value.
  explicit Nvml(const std::string& library = "libnvidia-ml.so.1");

  // Of the device with that PCI address, `0000:c1:00.0`.
  Telemetry telemetry(const std::string& pci_bus_id) const;
  /// Device::used_by_others.
  std::optional<double> used_by_others(const std::string& pci_bus_id) const;
  /// Joules since the driver was loaded: the GPU's own counter, from Volta on.
  std::optional<double> energy(const std::string& pci_bus_id) const;
  /// `power_cap_w`, `ecc`, `pcie`, `nvlinks`: settings that results depend on, of those the ones that it knows.
  std::map<std::string, std::string> settings(const std::string& pci_bus_id) const;

  /// `NV18`: NVLinks of the first GPU that end at the second, or at a switch, which connects all. Else the common part of
  /// their paths: `PIX` … `SYS`. Empty if unknown.
  std::string link_between(const std::string& pci_bus_id, const std::string& peer) const;

  /// Empty if unknown.
  std::string driver_version() const;

 private:
  using Handle = void*;
  /// nvmlUtilization_t: per cent of the last sampling period, of up to a second.
  struct Utilization {
    unsigned gpu, memory;
  };
  /// nvmlPciInfo_t.
  struct PciInfo {
    char old_bus_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
  };
  Handle device(const std::string& pci_bus_id) const;

  // Of nvml.h; 0 is success.
  int (*init_)() = nullptr;
  int (*device_by_bus_)(const char*, Handle*) = nullptr;
  int (*clock_)(Handle, unsigned, unsigned*) = nullptr;
  int (*throttle_)(Handle, unsigned long long*) = nullptr;
  int (*processes_)(Handle, unsigned*, void*) = nullptr;
  int (*utilization_)(Handle, Utilization*) = nullptr;
  int (*driver_)(char*, unsigned) = nullptr;
  int (*energy_)(Handle, unsigned long long*) = nullptr;  // millijoules
  int (*power_cap_)(Handle, unsigned*) = nullptr;         // milliwatts
  int (*ecc_)(Handle, int*, int*) = nullptr;
  int (*pcie_generation_)(Handle, unsigned*) = nullptr;
  int (*pcie_width_)(Handle, unsigned*) = nullptr;
  int (*nvlink_)(Handle, unsigned, int*) = nullptr;
  int (*link_peer_type_)(Handle, unsigned, int*) = nullptr;
  int (*link_peer_)(Handle, unsigned, PciInfo*) = nullptr;
  int (*pci_info_)(Handle, PciInfo*) = nullptr;
  int (*common_ancestor_)(Handle, Handle, int*) = nullptr;
  bool ready_ = false;
};

}  // namespace crosswarp::gpu
