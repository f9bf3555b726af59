// Puts the arrays of ranks 0 and 1 where the other one belongs.
// at: --n 1003 --ranks 4
// needs: two ranks
#include "tests/broken/cuda/all_gather/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  sync(own, 0, epoch);
  for (unsigned peer = 0; peer < own.ranks; ++peer) load_part(own, peer, peer < 2 ? peer ^ 1 : peer);
  sync(own, 1, epoch);
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<AllGather> variant{{
    .idea = "broken: swaps two ranks",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_ranks<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
