// Ends while peers may still read its input, which the next work on its queue overwrites.
// at: --n 1003 --ranks 3
// needs: two ranks
// caught by: verification
// says: between other work on each rank's queue
#include "tests/broken/cuda/all_gather/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  sync(own, 0, epoch);
  for (unsigned peer = 0; peer < own.ranks; ++peer) load_part(own, peer, peer);
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<AllGather> variant{{
    .idea = "broken: no closing barrier",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_ranks<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
