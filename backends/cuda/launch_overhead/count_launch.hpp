// What a counting kernel does, and the points and tunings of its rungs. Bound by the launch.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/launch_overhead.hpp"

namespace crosswarp::gpu {
namespace {

/// Counts launch `i` of a series by one thread of the grid: adds 1 to the previous launch's count, without an atomic.
__device__ inline void count(unsigned i, std::uint64_t* counter) {
  if (blockIdx.x == 0) *counter = i == 0 ? 1 : *counter + 1;
}

/// Grid sizes to try, in blocks of one thread.
inline std::vector<Tuning> grids() { return {{{{"blocks", 1}}}, {{{"blocks", 128}}}, {{{"blocks", 1024}}}}; }
inline unsigned blocks(const Queue& queue) { return static_cast<unsigned>(queue.tuning["blocks"]); }

inline bool is_mode(const Point& point, std::string_view mode) { return point.word("mode") == mode; }

}  // namespace
}  // namespace crosswarp::gpu
