// Follows the chain for half of the steps.
// at: --op load --bytes 16384 --ranks 2 --steps 64
// needs: two ranks
#include "backends/cuda/peer_latency/peer.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(PeerSteps own) {
  own.steps /= 2;
  chase(own, [](const std::uint64_t* at) { return load_relaxed_system(at); });
}

#endif

const Register<PeerLatency> variant{{
    .idea = "broken: chases for half of the steps",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = [](const Queue& queue, const PeerLatency::Args& args) { launch_steps(kernel, queue, args); },
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
