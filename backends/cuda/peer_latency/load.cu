// Pointer chase over the last rank's memory by loads of system scope, which no cache of the own device serves. Bound by
// the way there and back.
#include "backends/cuda/peer_latency/peer.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void __launch_bounds__(peer_block) load(const PeerSteps own) {
  chase(own, [](const std::uint64_t* at) { return load_relaxed_system(at); });
}

#endif

const Register<PeerLatency> variant{{
    .idea = "pointer chase by loads of system scope over the peer's memory",
    .bound_by = "the way over the link and back",
    .not_expressible = needs_peers,
    .applies = PeerLatency::is_load,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = [](const Queue& queue, const PeerLatency::Args& args) { launch_steps(load, queue, args); },
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
