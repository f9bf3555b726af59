// ROCm SMI's library with made-up answers, in the layout of ROCm 6 (ROCM_SMI_FLAG=1) or before. Tests write the answers
// into `stub`.
#include <cstdint>
#include <cstring>

#include "tests/stubs/rocm_smi.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT crosswarp::RocmSmiAnswers stub;
crosswarp::RocmSmiAnswers stub;

EXPORT int rsmi_init(std::uint64_t) { return stub.init; }
EXPORT int rsmi_num_monitor_devices(std::uint32_t* devices) {
  *devices = 2;
  return 0;
}
EXPORT int rsmi_dev_pci_id_get(std::uint32_t device, std::uint64_t* id) {
  *id = stub.pci_ids[device];
  return 0;
}
EXPORT int rsmi_dev_gpu_clk_freq_get(std::uint32_t device, int clock, void* answer) {
  if (device != 1 || clock != 0) return 2;
#if ROCM_SMI_FLAG
  struct {
    bool has_deep_sleep;
    std::uint32_t count, current;
    std::uint64_t frequency[33];
  } frequencies{true, stub.count, stub.current, {}};
#else
  struct {
    std::uint32_t count, current;
    std::uint64_t frequency[32];
  } frequencies{stub.count, stub.current, {}};
#endif
  std::memcpy(frequencies.frequency, stub.frequencies, sizeof stub.frequencies);
  std::memcpy(answer, &frequencies, sizeof frequencies);
  return stub.clock_status;
}
EXPORT int rsmi_dev_power_ave_get(std::uint32_t, std::uint32_t, std::uint64_t* power) {
  *power = stub.average_power;
  return stub.average_power == 0 ? 2 : 0;
}
#if ROCM_SMI_FLAG
EXPORT int rsmi_dev_power_get(std::uint32_t, std::uint64_t* power, int* kind) {
  *power = stub.socket_power;
  *kind = 1;
  return stub.socket_power == 0 ? 2 : 0;
}
#endif
EXPORT int rsmi_dev_power_cap_get(std::uint32_t, std::uint32_t, std::uint64_t* cap) {
  *cap = stub.power_cap;
  return 0;
}
