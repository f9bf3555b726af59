// The library: ncclAllGather as most call it, without registered windows, NVLink multicast off. The yardstick.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/all_gather.hpp"
#if CROSSWARP_HAS_NCCL
#include "backends/cuda/nccl.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_NCCL

void all_gather(const Queue& queue, const AllGather::Args& args) {
  std::visit(
      [&]<class T>(const AllGather::Typed<T>& a) {
        in_nccl_group(a.rank, a.ranks, [&](ncclComm_t communicator) {
          check(nccl().all_gather(a.in[a.rank].data(), a.out[a.rank].data(), a.n, nccl_type<T>, communicator,
                                  queue.stream),
                "ncclAllGather");
        });
      },
      args.typed);
}

void prepare(const Queue&, const AllGather::Args& args) { make_nccl_communicator(args.rank(), args.ranks()); }

#endif

const Register<AllGather> variant{{
    .idea = "NCCL: ncclAllGather, arrays not registered",
    .bound_by = "the link",
    .not_expressible = needs_nccl,
    .library = true,
#if CROSSWARP_HAS_NCCL
    .prepare = prepare,
    .missing = why_no_nccl,
    .launch = all_gather,
#endif
    .of_peers = OfPeers::nothing,
}};

}  // namespace
}  // namespace crosswarp::gpu
