// Programmatic dependent launch (Hopper): a launch may begin before its predecessor ends, and waits for it on the
// device. Bound by that wait; the launch itself overlaps the predecessor.
#include "backends/cuda/launch_overhead/count_launch.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
__global__ void count_launch(unsigned i, std::uint64_t* counter) {
  grid_dependency_sync();
  count(i, counter);
}

void run(const Queue& queue, const LaunchOverhead::Args& args) {
  for (unsigned i = 0; i < args.launches; ++i)
    launch(count_launch, blocks(queue), 1, 0, with_pdl(queue), i, args.count.data());
}
#endif

const Register<LaunchOverhead> variant{{
    .idea = "programmatic dependent launch: starts while the predecessor runs, waits for it on the device",
    .bound_by = "the wait for the predecessor",
    .improves = "stream_gated",
    .needs = {"pdl"},
    .tunings = grids(),
    .applies = [](const Point& point) { return is_mode(point, "stream") && LaunchOverhead::can_be_gated(point); },
#if CROSSWARP_HAS_PTX
    .launch = run,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
