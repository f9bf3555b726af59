// Leaves out the rows of the last peer: multiplies those that another launch has gathered there.
// at: --m 24 --n 36 --k 40 --ranks 4
// needs: two ranks
#include "tests/broken/cuda/all_gather_matmul/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

void launch_all(const Queue& queue, const AllGatherMatmul::Args& args) {
  const std::size_t left_out = (args.rank + args.ranks - 1) % args.ranks;
  meet_all(queue, args);
  for (std::size_t peer = 0; peer < args.ranks; ++peer) {
    const auto rows = gathered(queue, args, peer);
    if (peer != left_out) copy_part(queue, rows, args.a[peer]);
    multiply(queue, args, rows, args.c_of(peer));
  }
  meet_all(queue, args);
}

#endif

const Register<AllGatherMatmul> variant{{
    .idea = "broken: gathers all but one rank",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_and_rows,
    .prepare = preload_all,
    .launch = launch_all,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
