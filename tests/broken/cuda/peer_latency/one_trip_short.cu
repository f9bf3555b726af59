// Ends one round trip early.
// at: --op flag --bytes 2^20 --ranks 2 --steps 64
// needs: two ranks
#include "backends/cuda/peer_latency/peer.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(PeerSteps own, Peers<std::uint64_t> words) {
  between_barriers(own, [&](unsigned epoch) {
    const unsigned last = own.ranks - 1, other = own.rank == 0 ? last : 0;
    if (threadIdx.x != 0 || (own.rank != 0 && own.rank != last)) return;
    auto token = static_cast<std::uint32_t>(own.key);
    std::uint64_t sum = 0;
    const Stopwatch watch;
    for (std::uint32_t step = 1; step < own.steps; ++step) {
      const std::uint64_t number = (epoch << 25) + step;
      if (own.rank == 0) store_release_system(words.of[other], number << 32 | token);
      std::uint64_t seen = load_acquire_system(words.of[own.rank]);
      for (; seen >> 32 != number; seen = load_acquire_system(words.of[own.rank])) spin();
      token = static_cast<std::uint32_t>(seen);
      if (own.rank == last) store_release_system(words.of[other], number << 32 | PeerLatency::reply(own.key, token));
      if (step % PeerLatency::stretch == 0) sum += token;
    }
    const Elapsed elapsed = watch.stop(sum);
    if (own.rank == 0) *own.out = {token, sum, elapsed};
  });
}

#endif

const Register<PeerLatency> variant{{
    .idea = "broken: one round trip short",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const PeerLatency::Args&) { return sizeof(Flags) + sizeof(std::uint64_t); },
    .launch =
        [](const Queue& queue, const PeerLatency::Args& args) {
          launch_steps(kernel, queue, args, workspaces<std::uint64_t>(queue, sizeof(Flags)));
        },
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
