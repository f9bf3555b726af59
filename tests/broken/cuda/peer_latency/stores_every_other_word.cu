// Leaves out every other store.
// at: --op store --bytes 2^20 --ranks 2 --steps 64
// needs: two ranks
#include "backends/cuda/peer_latency/peer.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(PeerSteps own) {
  between_barriers(own, [&](unsigned) {
    if (own.rank != 0 || threadIdx.x != 0) return;
    const Stopwatch watch;
    for (std::uint32_t i = 0; i < own.steps; i += 2) {
      store_relaxed_system(own.words + i, PeerLatency::value(own.key, i));
      fence_system();
    }
    const Elapsed elapsed = watch.stop(own.steps);
    *own.out = {0, 0, elapsed};
  });
}

#endif

const Register<PeerLatency> variant{{
    .idea = "broken: stores every other word",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = [](const Queue& queue, const PeerLatency::Args& args) { launch_steps(kernel, queue, args); },
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
