// Takes half of its steps, without the long run: must be wrong, whatever its clocks show.
// at: --op shuffle --steps 64
#include "backends/gpu/kernel.hpp"
#include "experiments/op_latency.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void half_the_steps(OpLatency::Args args) {
  const std::uint32_t next = args.next.data()[threadIdx.x];
  auto x = static_cast<std::uint32_t>(args.starts.data()[threadIdx.x]);
  for (unsigned s = 0; s < 2 * args.steps; ++s) x = shuffle(next, x);
  args.ends.data()[threadIdx.x] = x;
}

void measure(const Queue& queue, const OpLatency::Args& args) {
  launch(half_the_steps, 1, static_cast<unsigned>(queue.device.warp_size), 0, queue, args);
}

const Register<OpLatency> variant{{.idea = "broken: without the long run", .launch = measure}};

}  // namespace
}  // namespace crosswarp::gpu
