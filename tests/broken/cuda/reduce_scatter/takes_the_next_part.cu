// Adds up the part of the next rank.
// at: --n 1003 --ranks 3
// needs: two ranks
#include "tests/broken/cuda/reduce_scatter/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  sync(own, 0, epoch);
  add_part(own, (own.rank + 1) % own.ranks, own.ranks);
  sync(own, 1, epoch);
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<ReduceScatter> variant{{
    .idea = "broken: takes the next rank's part",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_ranks<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
