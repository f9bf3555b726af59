// The library: ncclReduceScatter as most call it, without registered windows, NVLink multicast off. The yardstick.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/reduce_scatter.hpp"
#if CROSSWARP_HAS_NCCL
#include "backends/cuda/nccl.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_NCCL

void reduce_scatter(const Queue& queue, const ReduceScatter::Args& args) {
  std::visit(
      [&]<class T>(const ReduceScatter::Typed<T>& a) {
        in_nccl_group(a.rank, a.ranks, [&](ncclComm_t communicator) {
          check(nccl().reduce_scatter(a.in[a.rank].data(), a.out[a.rank].data(), a.n, nccl_type<T>, ncclSum,
                                      communicator, queue.stream),
                "ncclReduceScatter");
        });
      },
      args.typed);
}

void prepare(const Queue&, const ReduceScatter::Args& args) { make_nccl_communicator(args.rank(), args.ranks()); }

#endif

const Register<ReduceScatter> variant{{
    .idea = "NCCL: ncclReduceScatter, arrays not registered",
    .bound_by = "the link",
    .not_expressible = needs_nccl,
    .library = true,
#if CROSSWARP_HAS_NCCL
    .prepare = prepare,
    .missing = why_no_nccl,
    .launch = reduce_scatter,
#endif
    .of_peers = OfPeers::nothing,
}};

}  // namespace
}  // namespace crosswarp::gpu
