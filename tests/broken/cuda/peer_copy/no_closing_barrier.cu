// Loads its peer's array, and lets it go on while it does: the next work on that queue overwrites the array.
// at: --bytes 4012 --ranks 8 --ways both
// needs: two ranks
// caught by: verification
// says: between other work on each rank's queue
#include "tests/broken/cuda/peer_copy/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  sync(own, 0, epoch);
  copy_each(own, own.rank, before(own), own.n);
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<PeerCopy> variant{{
    .idea = "broken: no closing barrier",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_ranks<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
