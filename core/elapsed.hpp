// What a kernel's own clocks say of a stretch of its code, for experiments that count cycles.
#pragma once

#include <cstdint>

namespace crosswarp {

/// By the multiprocessor's cycle counter, and by the device's timer (whose steps may be as long as a microsecond).
/// Their quotient is the clock at which it ran.
struct Elapsed {
  std::uint64_t cycles;
  std::uint64_t nanoseconds;
};

}  // namespace crosswarp
