// Leaves out the last element of each face.
// at: --n 12 --dims 3 --ranks 3 --width 2
// needs: two ranks
#include "tests/broken/cuda/halo_exchange/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own, Block block) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  sync(own, 0, epoch);
  for (unsigned face = 0; face < block.faces(); ++face) store_face(own, block, face, face ^ 1, block.face_size() - 1);
  sync(own, 1, epoch);
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<HaloExchange> variant{{
    .idea = "broken: drops the last element of each face",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_block<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
