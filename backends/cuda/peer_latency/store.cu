// Stores to the last rank's memory, each followed by a fence of system scope. Bound by the way there and back: the
// fence waits until the store has been performed.
#include "backends/cuda/peer_latency/peer.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void __launch_bounds__(peer_block) store(const PeerSteps own) {
  between_barriers(own, [&](unsigned) {
    if (own.rank != 0 || threadIdx.x != 0) return;
    const Stopwatch watch;
#pragma unroll 1
    for (std::uint32_t i = 0; i < own.steps; ++i) {
      store_relaxed_system(own.words + i, PeerLatency::value(own.key, i));
      fence_system();
    }
    const Elapsed elapsed = watch.stop(own.steps);
    *own.out = {0, 0, elapsed};
  });
}

#endif

const Register<PeerLatency> variant{{
    .idea = "stores to the peer's memory, a fence of system scope behind each",
    .bound_by = "the way over the link and back",
    .not_expressible = needs_peers,
    .applies = PeerLatency::is_store,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = [](const Queue& queue, const PeerLatency::Args& args) { launch_steps(store, queue, args); },
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
