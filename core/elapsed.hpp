// In-kernel stopwatch readings, for experiments that count cycles.
#pragma once

#include <cstdint>

namespace crosswarp {

/// Cycles of the multiprocessor's counter, nanoseconds of the device's timer (in steps of up to 1 µs). Their quotient
/// is the clock.
struct Elapsed {
  std::uint64_t cycles;
  std::uint64_t nanoseconds;
};

}  // namespace crosswarp
