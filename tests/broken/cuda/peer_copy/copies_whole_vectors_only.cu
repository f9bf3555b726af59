// Leaves out what is left behind the last 16 bytes.
// at: --bytes 4012 --ranks 2 --ways both
// needs: two ranks
#include "tests/broken/cuda/peer_copy/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  sync(own, 0, epoch);
  copy_each(own, next(own), own.rank, own.n / 4 * 4);
  sync(own, 1, epoch);
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<PeerCopy> variant{{
    .idea = "broken: copies whole vectors only",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_ranks<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
