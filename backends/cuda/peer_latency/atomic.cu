// Pointer chase over the last rank's memory by atomic operations, which return what they find and leave it. Bound by
// the way there and back, and by the peer's atomic unit.
#include "backends/cuda/peer_latency/peer.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void __launch_bounds__(peer_block) atomic(const PeerSteps own) {
  chase(own, [](std::uint64_t* at) { return fetch_or_system(at, 0); });
}

#endif

const Register<PeerLatency> variant{{
    .idea = "pointer chase by atomic operations on the peer's memory",
    .bound_by = "the way over the link and back",
    .not_expressible = needs_peers,
    .applies = PeerLatency::is_atomic,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = [](const Queue& queue, const PeerLatency::Args& args) { launch_steps(atomic, queue, args); },
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
