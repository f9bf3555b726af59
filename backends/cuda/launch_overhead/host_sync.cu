// The host waits for each launch before it enqueues the next. Bound by the round trip to the device.
#include "backends/cuda/launch_overhead/count_launch.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void count_launch(unsigned i, std::uint64_t* counter) { count(i, counter); }

void run(const Queue& queue, const LaunchOverhead::Args& args) {
  for (unsigned i = 0; i < args.launches; ++i) {
    launch(count_launch, blocks(queue), 1, 0, queue, i, args.count.data());
    wait(queue);
  }
}

const Register<LaunchOverhead> variant{{
    .idea = "launch, wait, launch",
    .bound_by = "round trip to the device",
    .result = ResultIn::host,
    .tunings = grids(),
    .applies = [](const Point& point) { return is_mode(point, "host_sync"); },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
