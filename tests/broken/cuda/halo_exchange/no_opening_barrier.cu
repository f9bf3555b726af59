// Stores into its neighbours' halos before their queues have come, whose earlier work then overwrites them.
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
  store_faces(own, block, block.faces());
  sync(own, 1, epoch);
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<HaloExchange> variant{{
    .idea = "broken: no opening barrier",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_block<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
