// Steps of one thread of rank 0 between two barriers of ranks, and the chase over the last rank's memory.
#pragma once

#include "backends/cuda/device/ranks.hpp"
#include "backends/cuda/device/stopwatch.hpp"
#include "experiments/peer_latency.hpp"

#if CROSSWARP_HAS_PEERS
namespace crosswarp::gpu {
namespace {

/// Threads of the one block: the chase warms up by all of them. Max ranks or more.
constexpr unsigned peer_block = 256;

/// What a rank's kernel is given; arrays as in PeerLatency::Args.
struct PeerSteps {
  std::byte* chain;
  std::size_t bytes;
  std::uint64_t first, key;
  std::uint64_t* words;
  std::uint32_t steps;
  PeerLatency::Taken* out;
  unsigned rank, ranks;
  Peers<Flags> flags;
};

/// Calls work(epoch) by all threads of each rank's block.
template <class Work>
__device__ void between_barriers(const PeerSteps& own, Work work) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  sync_ranks(own.flags, 0, own.rank, own.ranks, epoch);
  work(epoch);
  sync_ranks(own.flags, 1, own.rank, own.ranks, epoch);
  end_epoch(*own.flags.of[own.rank], epoch);
}

/// `next`: the offset that stands at an address of the chain.
template <class Next>
__device__ void chase(const PeerSteps& own, Next next) {
  between_barriers(own, [&](unsigned) {
    if (own.rank != 0) return;
    const auto slot = [&](std::uint64_t at) { return reinterpret_cast<std::uint64_t*>(own.chain + at); };
    for (std::uint64_t at = threadIdx.x * PeerLatency::stride; at < own.bytes; at += peer_block * PeerLatency::stride)
      load_relaxed_system(slot(at));
    __syncthreads();
    if (threadIdx.x != 0) return;
    std::uint64_t at = own.first, sum = 0;
    const Stopwatch watch;
#pragma unroll 1
    for (std::uint32_t done = 0; done < own.steps; done += PeerLatency::stretch) {
#pragma unroll
      for (std::uint32_t i = 0; i < PeerLatency::stretch; ++i) at = next(slot(at));
      sum += at;
    }
    const Elapsed elapsed = watch.stop(sum);
    *own.out = {at, sum, elapsed};
  });
}

template <class... More>
void launch_steps(void (*kernel)(PeerSteps, More...), const Queue& queue, const PeerLatency::Args& args,
                  const std::type_identity_t<More>&... more) {
  launch_resident(kernel, 1, peer_block, 0, queue,
                  PeerSteps{args.chain.data(), args.chain.size(), args.first, args.key, args.words.data(), args.steps,
                            args.out.data(), static_cast<unsigned>(args.rank), static_cast<unsigned>(args.ranks),
                            workspaces<Flags>(queue)},
                  more...);
}

inline std::size_t flags_only(const Queue&, const PeerLatency::Args&) { return sizeof(Flags); }

}  // namespace
}  // namespace crosswarp::gpu
#endif
