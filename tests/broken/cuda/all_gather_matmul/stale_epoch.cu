// Waits for the flags of the first launch, which every later one finds set.
// at: --m 24 --n 36 --k 40 --ranks 3
// needs: two ranks
// caught by: verification
// says: between other work on each rank's queue
#include "tests/broken/cuda/all_gather_matmul/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void meet_in_epoch_1(const __grid_constant__ Peers<Flags> flags, unsigned barrier, unsigned rank,
                                unsigned ranks) {
  sync_ranks(flags, barrier, rank, ranks, 1);
}

void meet(const Queue& queue, const AllGatherMatmul::Args& args, unsigned barrier) {
  launch_resident(meet_in_epoch_1, 1, static_cast<unsigned>(queue.device.warp_size), 0, queue, workspaces<Flags>(queue),
                  barrier, args.rank, args.ranks);
}

void launch_all(const Queue& queue, const AllGatherMatmul::Args& args) {
  meet(queue, args, 0);
  multiply_all(queue, args);
  meet(queue, args, 1);
}

#endif

const Register<AllGatherMatmul> variant{{
    .idea = "broken: a stale epoch",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .prepare = preload_all,
    .launch = launch_all,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
