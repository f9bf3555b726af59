// Takes steps for one stretch less than it says: must be wrong, whatever its clocks show.
// at: --op shuffle --steps 64
#include "backends/cuda/op_latency/latency.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void walk_half(OpLatency::Args args) {
  const std::uint32_t next = args.next.data()[threadIdx.x];
  auto x = static_cast<std::uint32_t>(args.starts.data()[threadIdx.x]);
  for (unsigned s = 0; s < 2 * args.steps; ++s) x = shuffle(next, x);
  args.ends.data()[threadIdx.x] = x;
}

void measure(const Queue& queue, const OpLatency::Args& args) {
  launch(walk_half, 1, static_cast<unsigned>(queue.device.warp_size), 0, queue, args);
}

const Register<OpLatency> variant{{.idea = "broken: without the long stretch", .launch = measure}};

}  // namespace
}  // namespace crosswarp::gpu
