// Reads its peers' inputs before their queues have written them.
// at: --n 1003 --ranks 3
// needs: two ranks
// caught by: verification
// says: between other work on each rank's queue
#include "tests/broken/cuda/all_reduce/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  add_all(own);
  sync(own, 1, epoch);
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<AllReduce> variant{{
    .idea = "broken: no opening barrier",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_ranks<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
