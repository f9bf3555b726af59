// Leaves out the last face.
// at: --n 12 --dims 3 --ranks 4
// needs: two ranks
#include "tests/broken/cuda/halo_exchange/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own, Block block) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  sync(own, 0, epoch);
  store_faces(own, block, block.faces() - 1);
  sync(own, 1, epoch);
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<HaloExchange> variant{{
    .idea = "broken: leaves out a face",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_block<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
