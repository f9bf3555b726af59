// Answers of the stub of NVML: one device, 0000:C1:00.0.
#pragma once

namespace crosswarp {

struct NvmlAnswers {
  int init = 0, energy_status = 0, ecc_status = 0;
  unsigned clock = 1980;                                ///< MHz.
  unsigned long long throttle = 0, energy = 5'000'000;  ///< Bits; millijoules.
  unsigned processes = 1, used = 30;                    ///< Per cent.
  unsigned power_cap = 700'000;                         ///< Milliwatts.
  int ecc = 1;
  unsigned links = 4;
};

}  // namespace crosswarp
