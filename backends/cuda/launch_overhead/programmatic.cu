// Launches that may begin before the one ahead has ended, and then wait for its results on the device (programmatic
// dependent launch, Hopper). Bound by that wait: starting up is hidden behind the predecessor.
#include "backends/cuda/device/count_launch.hpp"

#if CROSSWARP_HAS_PTX
#include "backends/cuda/device/launch_with.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
__global__ void count_when_ready(unsigned i, std::uint64_t* count) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");  // the next one may start up
  asm volatile("griddepcontrol.wait;" ::: "memory");               // the last one has ended, and its writes are seen
  if (blockIdx.x == 0) *count = i == 0 ? 1 : *count + 1;
#endif
}

void enqueue_dependent(const Queue& queue, const LaunchOverhead::Args& args) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  for (unsigned i = 0; i < args.launches; ++i)
    launch_with(early, count_when_ready, static_cast<unsigned>(queue.tuning["blocks"]), 1, 0, queue, i,
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
