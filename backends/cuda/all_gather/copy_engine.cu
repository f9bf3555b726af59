// Copy engine: every rank enqueues a copy from each peer's memory, between two kernels that are barriers of ranks.
// Bound by the link, short arrays by ranks + 2 operations one after the other.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/all_gather.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

void all_gather(const Queue& queue, const AllGather::Args& args) {
  std::visit(
      [&]<class T>(const AllGather::Typed<T>& a) {
        launch_meeting(queue, a.rank, a.ranks);  // all inputs are there
        for (std::size_t step = 1; step <= a.ranks && a.n > 0; ++step) {
          const std::size_t peer = (a.rank + step) % a.ranks;
          const auto part = a.out[a.rank].subspan(peer * a.n, a.n);
          if (part.data() != a.in[peer].data()) copy(queue, part, a.in[peer]);
        }
        launch_meeting(queue, a.rank, a.ranks);  // nobody reads this rank's input any more
      },
      args.typed);
}

#endif

const Register<AllGather> variant{{
    .idea = "the copy engine reads each peer's array, between two kernels that are barriers of ranks",
    .bound_by = "the link; short arrays: ranks + 2 operations",
    .improves = "pull",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const AllGather::Args&) { return sizeof(Flags); },
    .launch = all_gather,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
