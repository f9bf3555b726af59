// In-kernel stopwatch: the multiprocessor's cycle counter and the device's nanosecond timer.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "core/elapsed.hpp"

namespace crosswarp::gpu {
namespace {

/// Starts at construction. The compiler may move code across clock reads, so construct it behind the loads that the
/// timed code needs, and pass that code's result to stop(), which waits for it.
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
