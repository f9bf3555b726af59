// Launches that may begin before the one ahead has ended, and then wait for its results on the device (programmatic
// dependent launch, Hopper). Bound by that wait: starting up is hidden behind the predecessor.
#include "backends/cuda/launch_overhead/count_launch.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
__global__ void count_when_ready(unsigned i, std::uint64_t* count) {
  grid_dependency_sync();
  if (blockIdx.x == 0) *count = i == 0 ? 1 : *count + 1;
}

void enqueue_dependent(const Queue& queue, const LaunchOverhead::Args& args) {
  for (unsigned i = 0; i < args.launches; ++i)
    launch(count_when_ready, static_cast<unsigned>(queue.tuning["blocks"]), 1, 0, with_pdl(queue), i,
           args.count.data());
}
#endif

const Register<LaunchOverhead> variant{{
    .idea = "each launch starts up while the one ahead runs, and waits for it on the device: bound by that wait",
    .improves = "stream_gated",
    .needs = {"programmatic"},
    .tunings = grids(),
    .applies = [](const Point& point) { return is_mode(point, "stream") && LaunchOverhead::can_be_gated(point); },
#if CROSSWARP_HAS_PTX
    .launch = enqueue_dependent,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
