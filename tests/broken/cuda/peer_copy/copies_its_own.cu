// Copies from its own memory, which takes no link.
// at: --bytes 4012 --ranks 3 --ways both
// needs: two ranks
#include "tests/broken/cuda/peer_copy/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  sync(own, 0, epoch);
  copy_each(own, own.rank, own.rank, own.n);
  sync(own, 1, epoch);
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<PeerCopy> variant{{
    .idea = "broken: copies its own array",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_ranks<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
