// Multiplies gathered rows when their first half has been copied: the others are those of the launch before.
// at: --m 24 --n 36 --k 40 --ranks 4
// needs: two ranks
#include "tests/broken/cuda/all_gather_matmul/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

void launch_all(const Queue& queue, const AllGatherMatmul::Args& args) {
  const std::size_t half = args.part() / 2;
  meet_all(queue, args);
  for (std::size_t peer = 0; peer < args.ranks; ++peer) {
    const auto rows = gathered(queue, args, peer);
    copy_part(queue, rows.first(half), args.a[peer].first(half));
    multiply(queue, args, rows, args.c_of(peer));
    copy_part(queue, rows.subspan(half), args.a[peer].subspan(half));
  }
  meet_all(queue, args);
}

#endif

const Register<AllGatherMatmul> variant{{
    .idea = "broken: multiplies before all rows are there",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = flags_and_rows,
    .prepare = preload_all,
    .launch = launch_all,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
