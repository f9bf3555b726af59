// Takes the rows of a face across x for its planes: the face arrives transposed.
// at: --n 12 --dims 3 --ranks 2
// needs: two ranks
#include "tests/broken/cuda/halo_exchange/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own, Block block) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  sync(own, 0, epoch);
  for (unsigned face = 0; face < 2; ++face)
    for (auto i = static_cast<unsigned>(grid_thread()); i < block.face_size();
         i += static_cast<unsigned>(grid_threads()))
      own.out.of[block.neighbours[face]][block.beyond(face ^ 1, i)] =
          own.in.of[own.rank][block.inside(face, i % block.n * block.n + i / block.n)];
  for (unsigned face = 2; face < block.faces(); ++face) store_face(own, block, face, face ^ 1, block.face_size());
  sync(own, 1, epoch);
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<HaloExchange> variant{{
    .idea = "broken: takes rows for planes",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_block<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
