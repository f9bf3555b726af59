// Round trips of a flag between rank 0 and the last rank: a release store into the other's memory, an acquire load of
// the own. Bound by two ways over the link and two polls.
#include "backends/cuda/peer_latency/peer.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

/// One word of each rank, behind the flags: the number of the step, and a token.
__device__ std::uint64_t word_of(std::uint32_t number, std::uint32_t token) {
  return std::uint64_t{number} << 32 | token;
}

__device__ std::uint32_t wait_for(const std::uint64_t* word, std::uint32_t number) {
  std::uint64_t seen = load_acquire_system(word);
  for (; seen >> 32 != number; seen = load_acquire_system(word)) spin();
  return static_cast<std::uint32_t>(seen);
}

/// A word still holds a number of the launch before: numbers of two launches in turn differ.
__global__ void __launch_bounds__(peer_block)
    flag(const PeerSteps own, const __grid_constant__ Peers<std::uint64_t> words) {
  between_barriers(own, [&](unsigned epoch) {
    const unsigned last = own.ranks - 1;
    const std::uint32_t base = epoch << 25;
    if (threadIdx.x != 0 || (own.rank != 0 && own.rank != last)) return;
    if (own.rank == last) {
      for (std::uint32_t step = 1; step <= own.steps; ++step) {
        const std::uint32_t token = wait_for(words.of[last], base + step);
        store_release_system(words.of[0], word_of(base + step, PeerLatency::reply(own.key, token)));
      }
      return;
    }
    auto token = static_cast<std::uint32_t>(own.key);
    std::uint64_t sum = 0;
    const Stopwatch watch;
    for (std::uint32_t step = 1; step <= own.steps; ++step) {
      store_release_system(words.of[last], word_of(base + step, token));
      token = wait_for(words.of[0], base + step);
      if (step % PeerLatency::stretch == 0) sum += token;
    }
    const Elapsed elapsed = watch.stop(sum);
    *own.out = {token, sum, elapsed};
  });
}

void round_trips(const Queue& queue, const PeerLatency::Args& args) {
  launch_steps(flag, queue, args, workspaces<std::uint64_t>(queue, sizeof(Flags)));
}

std::size_t workspace(const Queue&, const PeerLatency::Args&) { return sizeof(Flags) + sizeof(std::uint64_t); }

#endif

const Register<PeerLatency> variant{{
    .idea = "round trips of a flag: release store to the peer, acquire load of the own memory",
    .bound_by = "two ways over the link and two polls",
    .not_expressible = needs_peers,
    .applies = PeerLatency::is_flag,
#if CROSSWARP_HAS_PEERS
    .workspace = workspace,
    .launch = round_trips,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
