// Launches that all wait in the stream before the first one starts. Bound by the device: from the end of a kernel to
// the start of the next.
#include "backends/cuda/launch_overhead/count_launch.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void count_launch(unsigned i, std::uint64_t* counter) { count(i, counter); }

void run(const Queue& queue, const LaunchOverhead::Args& args) {
  for (unsigned i = 0; i < args.launches; ++i) launch(count_launch, blocks(queue), 1, 0, queue, i, args.count.data());
}

const Register<LaunchOverhead> variant{{
    .idea = "all enqueued before the first one starts",
    .bound_by = "the device, from a kernel's end to the next start",
    .tunings = grids(),
    .applies = [](const Point& point) { return is_mode(point, "stream") && LaunchOverhead::can_be_gated(point); },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
