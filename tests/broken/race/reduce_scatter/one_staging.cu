// A ring of two without a barrier, whose staging is that of one epoch: the next launch overwrites what a slow peer
// still reads.
// at: --n 1003 --ranks 2
#include "tests/broken/cuda/reduce_scatter/plain.hpp"

namespace crosswarp::gpu {
namespace {

struct Steps {
  unsigned done[max_blocks];
};

__global__ void kernel(Rank own, Peers<Steps> steps, Peers<float> staged) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]), peer = 1 - own.rank;
  const float* const in = own.in.of[own.rank];
  for (std::size_t i = grid_thread(); i < own.n; i += grid_threads())
    staged.of[peer][i] = in[peer * own.n + i];  // caught here
  __syncthreads();
  if (threadIdx.x == 0) {
    store_release_system(&steps.of[peer]->done[blockIdx.x], epoch);
    while (!has_reached(load_acquire_system(&steps.of[own.rank]->done[blockIdx.x]), epoch)) spin();
  }
  __syncthreads();
  for (std::size_t i = grid_thread(); i < own.n; i += grid_threads())
    own.out.of[own.rank][i] = in[own.rank * own.n + i] + staged.of[own.rank][i];
  end_epoch(*own.flags.of[own.rank], epoch);
}

void reduce_scatter(const Queue& queue, const ReduceScatter::Args& args) {
  launch_resident(kernel, 2, 64, 0, queue, rank_of(queue, args), workspaces<Steps>(queue, sizeof(Flags)),
                  workspaces<float>(queue, sizeof(Flags) + sizeof(Steps)));
}

std::size_t workspace(const Queue&, const ReduceScatter::Args& args) {
  return sizeof(Flags) + sizeof(Steps) + args.bytes();
}

const Register<ReduceScatter> variant{{
    .idea = "broken: staging of one epoch",
    .not_expressible = needs_peers,
    .workspace = workspace,
    .launch = reduce_scatter,
}};

}  // namespace
}  // namespace crosswarp::gpu
