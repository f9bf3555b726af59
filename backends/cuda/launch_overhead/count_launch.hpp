// A kernel that does nothing but count its launches. Bound by the launch.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/launch_overhead.hpp"

namespace crosswarp::gpu {
namespace {

/// Launch `i` of a series: one thread of the grid adds 1 to what the launch before it left, with no atomic.
__global__ void count_launch(unsigned i, std::uint64_t* count) {
  if (blockIdx.x == 0) *count = i == 0 ? 1 : *count + 1;
}

/// Grids to try: blocks of one thread.
inline std::vector<Tuning> grids() { return {{{{"blocks", 1}}}, {{{"blocks", 128}}}, {{{"blocks", 1024}}}}; }

inline bool is_mode(const Point& point, std::string_view mode) { return point.word("mode") == mode; }

inline void enqueue(const Queue& queue, const LaunchOverhead::Args& args) {
  for (unsigned i = 0; i < args.launches; ++i)
    launch(count_launch, static_cast<unsigned>(queue.tuning["blocks"]), 1, 0, queue, i, args.count.data());
}

}  // namespace
}  // namespace crosswarp::gpu
