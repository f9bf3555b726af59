// Puts the products with the rows of ranks 0 and 1 where the other one belongs.
// at: --m 24 --n 36 --k 40 --ranks 4
// needs: two ranks
#include "tests/broken/cuda/all_gather_matmul/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

void launch_all(const Queue& queue, const AllGatherMatmul::Args& args) {
  meet_all(queue, args);
  for (std::size_t peer = 0; peer < args.ranks; ++peer)
    multiply(queue, args, args.a[peer], args.c_of(peer < 2 ? peer ^ 1 : peer));
  meet_all(queue, args);
}

#endif

const Register<AllGatherMatmul> variant{{
    .idea = "broken: swaps two chunks",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_only,
    .prepare = preload_all,
    .launch = launch_all,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
