// Leaves out the share of the last rank.
// at: --n 1003 --ranks 4
// needs: two ranks
#include "tests/broken/cuda/all_reduce/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  sync(own, 0, epoch);
  for (std::size_t i = grid_thread(); i < own.n; i += grid_threads())
    own.out.of[own.rank][i] = sum_at(own, i, own.ranks - 1);
  sync(own, 1, epoch);
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<AllReduce> variant{{
    .idea = "broken: drops one rank's share",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_ranks<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
