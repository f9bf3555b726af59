// The library: ncclAllReduce as most call it, without registered windows, NVLink multicast off. The yardstick.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/all_reduce.hpp"
#if CROSSWARP_HAS_NCCL
#include "backends/cuda/nccl.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_NCCL

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  std::visit(
      [&]<class T>(const AllReduce::Typed<T>& a) {
        in_nccl_group(a.rank, a.ranks, [&](ncclComm_t communicator) {
          check(nccl().all_reduce(a.in[a.rank].data(), a.out[a.rank].data(), a.size(), nccl_type<T>, ncclSum,
                                  communicator, queue.stream),
                "ncclAllReduce");
        });
      },
      args.typed);
}

void prepare(const Queue&, const AllReduce::Args& args) { make_nccl_communicator(args.rank(), args.ranks()); }

#endif

const Register<AllReduce> variant{{
    .idea = "NCCL: ncclAllReduce, arrays not registered",
    .bound_by = "the link",
    .not_expressible = needs_nccl,
    .library = true,
#if CROSSWARP_HAS_NCCL
    .prepare = prepare,
    .missing = why_no_nccl,
    .launch = all_reduce,
#endif
    .of_peers = OfPeers::nothing,
}};

}  // namespace
}  // namespace crosswarp::gpu
