// The library with symmetric windows: ncclAllReduce on registered arrays, which its kernels access directly. NVLink
// multicast off.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/all_reduce.hpp"
#if CROSSWARP_HAS_NCCL
#include "backends/cuda/nccl_windows.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_NCCL

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  std::visit(
      [&]<class T>(const AllReduce::Typed<T>& a) {
        in_nccl_windows(a, [&](ncclComm_t communicator) {
          check(nccl().all_reduce(a.in[a.rank].data(), a.out[a.rank].data(), a.size(), nccl_type<T>, ncclSum,
                                  communicator, queue.stream),
                "ncclAllReduce");
        });
      },
      args.typed);
}

void prepare(const Queue&, const AllReduce::Args& args) { prepare_nccl_windows(args); }

#endif

const Register<AllReduce> variant{{
    .idea = "NCCL: ncclAllReduce, arrays registered as symmetric windows",
    .bound_by = "the link",
    .not_expressible = needs_nccl,
    .library = true,
#if CROSSWARP_HAS_NCCL
    .prepare = prepare,
    .missing = why_no_nccl_windows,
    .launch = all_reduce,
#endif
    .of_peers = OfPeers::process,
}};

}  // namespace
}  // namespace crosswarp::gpu
