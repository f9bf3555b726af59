// GEMM on peers' rows where they lie: tiles of A come over the link as often as the product loads them, and nothing is
// gathered. Bound by the link: the own L2 does not cache a peer's memory, so that each column of tiles reads all rows
// again.
#include "backends/cuda/all_gather_matmul/product.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

void multiply_in_place(const Queue& queue, const AllGatherMatmul::Args& args) {
  launch_meeting(queue, args.rank, args.ranks);  // all rows are there
  for (std::size_t step = 0; step < args.ranks; ++step) {
    const std::size_t peer = (args.rank + step) % args.ranks;
    multiply(queue, args, args.a[peer], args.c_of(peer));
  }
  launch_meeting(queue, args.rank, args.ranks);  // nobody reads this rank's rows any more
}

#endif

const Register<AllGatherMatmul> variant{{
    .idea = "the product loads tiles of A from the memory of the rank that has them",
    .bound_by = "the link: each column of tiles reads all rows",
    .improves = "one_after_the_other",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const AllGatherMatmul::Args&) { return sizeof(Flags); },
    .prepare = [](const Queue& queue, const AllGatherMatmul::Args&) { preload_product(queue, 0); },
    .launch = multiply_in_place,
    .instructions = {{"HGMMA.64x256x16.F32.BF16", 4}, {"UTMALDG.2D.MULTICAST", 1}, {"UTMASTG.2D", 4}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
