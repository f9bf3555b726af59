// Stores into a corner of its neighbour's halo, too, which is not exchanged.
// at: --n 12 --dims 2 --ranks 4
// needs: two ranks
// says: was written to, and is no result
#include "tests/broken/cuda/halo_exchange/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own, Block block) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  sync(own, 0, epoch);
  store_faces(own, block, block.faces());
  if (grid_thread() == 0) own.out.of[block.neighbours[0]][0] = own.in.of[own.rank][block.inside(0, 0)];
  sync(own, 1, epoch);
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<HaloExchange> variant{{
    .idea = "broken: writes into a corner of the halo",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_block<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
