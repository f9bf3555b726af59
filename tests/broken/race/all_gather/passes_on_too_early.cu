// A ring that tells the next rank of a part while other threads of its block still store it: a block's barrier is
// missing.
// at: --n 1003 --ranks 3
#include "tests/broken/cuda/all_gather/plain.hpp"

namespace crosswarp::gpu {
namespace {

struct Steps {
  unsigned done[max_ranks][max_blocks];
};

__global__ void kernel(Rank own, Peers<Steps> steps) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]), next = (own.rank + 1) % own.ranks;
  sync(own, 0, epoch);
  load_part(own, own.rank, own.rank);
  for (unsigned step = 0; step + 1 < own.ranks; ++step) {
    const std::size_t first = (own.rank + own.ranks - step) % own.ranks * own.n;
    const float* const from = step == 0 ? own.in.of[own.rank] - first : own.out.of[own.rank];
    for (std::size_t i = first + grid_thread(); i < first + own.n; i += grid_threads())
      own.out.of[next][i] = from[i];  // caught here
    if (threadIdx.x == 0) {
      store_release_system(&steps.of[next]->done[step][blockIdx.x], epoch);
      while (!has_reached(load_acquire_system(&steps.of[own.rank]->done[step][blockIdx.x]), epoch)) spin();
    }
    __syncthreads();
  }
  end_epoch(*own.flags.of[own.rank], epoch);
}

void all_gather(const Queue& queue, const AllGather::Args& args) {
  launch_resident(kernel, 2, 64, 0, queue, rank_of(queue, args), workspaces<Steps>(queue, sizeof(Flags)));
}

const Register<AllGather> variant{{
    .idea = "broken: passes on before its block is through",
    .not_expressible = needs_peers,
    .workspace = [](const Queue&, const AllGather::Args&) { return sizeof(Flags) + sizeof(Steps); },
    .launch = all_gather,
}};

}  // namespace
}  // namespace crosswarp::gpu
