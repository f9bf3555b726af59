// Copy engine: the receiver enqueues a copy from its peer's memory (cudaMemcpyAsync, which between two GPUs' memory is
// cudaMemcpyPeerAsync), between two kernels that are barriers of ranks. Bound by the link, small copies by three
// operations one after the other.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/peer_copy.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

void copy_from_peer(const Queue& queue, const PeerCopy::Args& args) {
  const RankSpans<float>& a = args.f32();
  launch_meeting(queue, a.rank, a.ranks);  // the peer's input is there
  if (args.from != PeerCopy::nobody && a.n > 0) copy(queue, a.out[a.rank], a.in[args.from]);
  launch_meeting(queue, a.rank, a.ranks);  // nobody reads this rank's input any more
}

#endif

const Register<PeerCopy> variant{{
    .idea = "the copy engine reads the peer's array, between two kernels that are barriers of ranks",
    .bound_by = "the link; small copies: two launches and the engine's start",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const PeerCopy::Args&) { return sizeof(Flags); },
    .launch = copy_from_peer,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
