// Ends while peers may still read its rows, which the next work on its queue overwrites.
// at: --m 24 --n 36 --k 40 --ranks 3
// needs: two ranks
// caught by: verification
// says: between other work on each rank's queue
#include "tests/broken/cuda/all_gather_matmul/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

void launch_all(const Queue& queue, const AllGatherMatmul::Args& args) {
  meet_all(queue, args);
  multiply_all(queue, args);
}

#endif

const Register<AllGatherMatmul> variant{{
    .idea = "broken: no closing barrier",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .prepare = preload_all,
    .launch = launch_all,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
