// Ends while its neighbours still store into its halo, which the next work on its queue reads.
// at: --n 24 --dims 3 --ranks 8
// needs: two ranks
// caught by: verification
// says: between other work on each rank's queue
#include "tests/broken/cuda/halo_exchange/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own, Block block) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  sync(own, 0, epoch);
  store_faces(own, block, block.faces());
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<HaloExchange> variant{{
    .idea = "broken: no closing barrier",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_block<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
