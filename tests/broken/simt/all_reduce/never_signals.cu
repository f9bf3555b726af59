// One rank signals to nobody: its peers wait for ever.
// at: --n 1003 --ranks 3
// says: threads wait for memory that nothing will write
#include "tests/broken/cuda/all_reduce/plain.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void kernel(Rank own) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  if (own.rank > 0) sync(own, 0, epoch);
  add_all(own);
  end_epoch(*own.flags.of[own.rank], epoch);
}

const Register<AllReduce> variant{{
    .idea = "broken: one rank never signals",
    .not_expressible = needs_peers,
    .workspace = flags_only,
    .launch = launch_ranks<kernel>,
}};

}  // namespace
}  // namespace crosswarp::gpu
