// Push: the sender stores its array to its peer, 16 bytes a store. Bound by the link; no store waits for its trip.
// Small copies are bound by two barriers of ranks.
#include "backends/cuda/device/ranks.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "experiments/peer_copy.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

template <unsigned unroll>
__global__ void __launch_bounds__(max_threads) push(const float* in, float* out, std::size_t n, unsigned rank,
                                                    unsigned ranks, const __grid_constant__ Peers<Flags> flags) {
  const unsigned epoch = epoch_of(*flags.of[rank]);
  sync_ranks(flags, 0, rank, ranks, epoch);  // the peer's output can be written
  copy_by_grid<unroll>(out, in, n);
  sync_ranks(flags, 1, rank, ranks, epoch);  // all of this rank's output is there
  end_epoch(*flags.of[rank], epoch);
}

void copy_to_peer(const Queue& queue, const PeerCopy::Args& args) {
  const RankSpans<float>& a = args.f32();
  const bool sends = args.to != PeerCopy::nobody;
  const Shape shape(queue, args.bytes() / 16);
  with_constant<8, 4, 1>(queue.tuning["unroll"], [&]<unsigned unroll>() {
    launch_resident(push<unroll>, shape.blocks, shape.threads, 0, queue, a.in[a.rank].data(),
                    sends ? a.out[args.to].data() : nullptr, sends ? a.n : 0, a.rank, a.ranks,
                    workspaces<Flags>(queue));
  });
}

#endif

const Register<PeerCopy> variant{{
    .idea = "the sender stores its array to its peer, 16 bytes a store, between two barriers of ranks",
    .bound_by = "the link; small copies: two barriers",
    .improves = "pull",
    .not_expressible = needs_peers,
    .tunings = {{{{"unroll", 8}}}, {{{"unroll", 4}}}, {{{"unroll", 1}}}},
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const PeerCopy::Args&) { return sizeof(Flags); },
    .launch = copy_to_peer,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
