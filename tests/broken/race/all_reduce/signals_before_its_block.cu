// Signals to its peers while other threads of its block may still read: a block's barrier is missing.
// at: --n 1003 --ranks 2
#include "tests/broken/cuda/all_reduce/plain.hpp"

namespace crosswarp::gpu {
namespace {

__device__ void sync_early(const Rank& own, unsigned barrier, unsigned epoch) {
  if (threadIdx.x < own.ranks) {
    store_release_system(&own.flags.of[threadIdx.x]->arrived[barrier][blockIdx.x][own.rank], epoch);
    const unsigned* const arrived = &own.flags.of[own.rank]->arrived[barrier][blockIdx.x][threadIdx.x];
    while (!has_reached(load_acquire_system(arrived), epoch)) spin();
  }
  __syncthreads();
}

__global__ void kernel(Rank own) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]);
  sync(own, 0, epoch);
  for (std::size_t i = grid_thread(); i < own.n; i += grid_threads()) {
    float sum = 0;
    for (unsigned r = 0; r < own.ranks; ++r) sum += own.in.of[r][i];  // caught here
    own.out.of[own.rank][i] = sum;
  }
  sync_early(own, 1, epoch);
  end_epoch(*own.flags.of[own.rank], epoch);
}

const Register<AllReduce> variant{{
    .idea = "broken: signals before its block is through",
    .not_expressible = needs_peers,
    .workspace = flags_only,
    .launch = launch_ranks<kernel>,
}};

}  // namespace
}  // namespace crosswarp::gpu
