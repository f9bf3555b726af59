// Answers of the stub of ROCm SMI's library: two devices, of which the second has a clock.
#pragma once

#include <cstdint>

namespace crosswarp {

struct RocmSmiAnswers {
  int init = 0, clock_status = 0;
  std::uint64_t pci_ids[2] = {0x4100, 0x100008300};  ///< 0000:41:00.0 and 0001:83:00.0.
  std::uint32_t count = 3, current = 1;
  std::uint64_t frequencies[3] = {500'000'000, 1'700'000'000, 2'100'000'000};            ///< Hz.
  std::uint64_t average_power = 300'000'000, socket_power = 0, power_cap = 750'000'000;  ///< Microwatts.
};

}  // namespace crosswarp
