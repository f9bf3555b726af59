// Pull: the receiver loads its peer's array, 16 bytes a load. Bound by the link's rate of reads, of which each takes a
// trip there and back: by loads in flight. Small copies are bound by two barriers of ranks.
#include "backends/cuda/device/ranks.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "experiments/peer_copy.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

template <unsigned unroll>
__global__ void __launch_bounds__(max_threads) pull(const float* in, float* out, std::size_t n, unsigned rank,
                                                    unsigned ranks, const __grid_constant__ Peers<Flags> flags) {
  const unsigned epoch = epoch_of(*flags.of[rank]);
  sync_ranks(flags, 0, rank, ranks, epoch);  // the peer's input is there
  copy_by_grid<unroll>(out, in, n);
  sync_ranks(flags, 1, rank, ranks, epoch);  // nobody reads this rank's input any more
  end_epoch(*flags.of[rank], epoch);
}

void copy_from_peer(const Queue& queue, const PeerCopy::Args& args) {
  const RankSpans<float>& a = args.f32();
  const bool receives = args.from != PeerCopy::nobody;
  const Shape shape(queue, args.bytes() / 16);
  with_constant<8, 4, 1>(queue.tuning["unroll"], [&]<unsigned unroll>() {
    launch_resident(pull<unroll>, shape.blocks, shape.threads, 0, queue, receives ? a.in[args.from].data() : nullptr,
                    a.out[a.rank].data(), receives ? a.n : 0, a.rank, a.ranks, workspaces<Flags>(queue));
  });
}

#endif

const Register<PeerCopy> variant{{
    .idea = "the receiver loads its peer's array, 16 bytes a load, between two barriers of ranks",
    .bound_by = "reads over the link in flight; small copies: two barriers",
    .not_expressible = needs_peers,
    .tunings = {{{{"unroll", 8}}}, {{{"unroll", 4}}}, {{{"unroll", 1}}}},
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const PeerCopy::Args&) { return sizeof(Flags); },
    .launch = copy_from_peer,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
