// The host waits for each launch before it enqueues the next. Bound by the way to the device and back.
#include "backends/cuda/launch_overhead/count_launch.hpp"

namespace crosswarp::gpu {
namespace {

void launch_and_wait(const Queue& queue, const LaunchOverhead::Args& args) {
  for (unsigned i = 0; i < args.launches; ++i) {
    launch(count_launch, static_cast<unsigned>(queue.tuning["blocks"]), 1, 0, queue, i, args.count.data());
    wait(queue);
  }
}

const Register<LaunchOverhead> variant{{
    .idea = "launch, wait, launch: bound by the way to the device and back",
    .result = ResultIn::host,
    .tunings = grids(),
    .applies = [](const Point& point) { return is_mode(point, "host_sync"); },
    .launch = launch_and_wait,
}};

}  // namespace
}  // namespace crosswarp::gpu
