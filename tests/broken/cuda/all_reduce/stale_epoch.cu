// Waits for the flags of the first launch, which every later one finds set.
// at: --n 1003 --ranks 3
// needs: two ranks
// caught by: verification
// says: between other work on each rank's queue
#include "tests/broken/cuda/all_reduce/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own) {
  constexpr unsigned epoch = 1;
  sync(own, 0, epoch);
  add_all(own);
  sync(own, 1, epoch);
}

#endif

const Register<AllReduce> variant{{
    .idea = "broken: a stale epoch",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_ranks<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
