// Times a stretch of a kernel by the device's own clocks.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "core/elapsed.hpp"

namespace crosswarp::gpu {
namespace {

/// Runs from its construction. What is timed must depend on nothing that the compiler could move across: start behind
/// the loads that it needs, stop behind the value that it yields (`after` is what makes the end wait for it).
class Stopwatch {
 public:
  __device__ Stopwatch() : nanoseconds_(nanoseconds()), cycles_(cycles()) {}

  template <class T>
  __device__ Elapsed stop(const T& after) const {
    keep(after);
    const std::uint64_t cycles_now = cycles(), nanoseconds_now = nanoseconds();
    return {cycles_now - cycles_, nanoseconds_now - nanoseconds_};
  }

 private:
  std::uint64_t nanoseconds_, cycles_;
};

}  // namespace
}  // namespace crosswarp::gpu
