// Launches enqueued one by one while the device runs them. Bound by the host, which enqueues more slowly than the
// device runs.
#include "backends/cuda/launch_overhead/count_launch.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void count_launch(unsigned i, std::uint64_t* counter) { count(i, counter); }

void run(const Queue& queue, const LaunchOverhead::Args& args) {
  for (unsigned i = 0; i < args.launches; ++i) launch(count_launch, blocks(queue), 1, 0, queue, i, args.count.data());
}

const Register<LaunchOverhead> variant{{
    .idea = "enqueued one by one while the device runs them",
    .bound_by = "the slower of host and device",
    .result = ResultIn::host,
    .tunings = grids(),
    .applies = [](const Point& point) { return is_mode(point, "stream"); },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
