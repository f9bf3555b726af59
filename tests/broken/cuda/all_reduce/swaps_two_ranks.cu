// Two-shot in which ranks 0 and 1 store their sums where the other's belong.
// at: --n 1000 --ranks 4
// needs: two ranks
#include "tests/broken/cuda/all_reduce/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void kernel(Rank own) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  const std::size_t share = own.n / own.ranks, first = own.rank * share;
  const std::size_t to = (own.rank < 2 ? own.rank ^ 1 : own.rank) * share;
  sync(own, 0, epoch);
  for (std::size_t i = grid_thread(); i < share; i += grid_threads())
    for (unsigned r = 0; r < own.ranks; ++r) own.out.of[r][to + i] = sum_at(own, first + i, own.ranks);
  sync(own, 1, epoch);
  end_epoch(*own.flags.of[own.rank], epoch);
}

#endif

const Register<AllReduce> variant{{
    .idea = "broken: swaps two ranks",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .launch = launch_ranks<kernel>,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
