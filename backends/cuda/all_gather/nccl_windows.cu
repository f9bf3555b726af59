// The library with symmetric windows: ncclAllGather on registered arrays, which its kernels access directly. NVLink
// multicast off.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/all_gather.hpp"
#if CROSSWARP_HAS_NCCL
#include "backends/cuda/nccl_windows.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_NCCL

void all_gather(const Queue& queue, const AllGather::Args& args) {
  std::visit(
      [&]<class T>(const AllGather::Typed<T>& a) {
        in_nccl_windows(a, [&](ncclComm_t communicator) {
          check(nccl().all_gather(a.in[a.rank].data(), a.out[a.rank].data(), a.n, nccl_type<T>, communicator,
                                  queue.stream),
                "ncclAllGather");
        });
      },
      args.typed);
}

void prepare(const Queue&, const AllGather::Args& args) { prepare_nccl_windows(args); }

#endif

/// NCCL 2.28.3 leaves out elements at the end of parts that do not begin at multiples of 16 bytes.
bool has_aligned_parts(const Point& point) { return AllGather::bytes(point) % 16 == 0; }

const Register<AllGather> variant{{
    .idea = "NCCL: ncclAllGather, arrays registered as symmetric windows",
    .bound_by = "the link",
    .not_expressible = needs_nccl,
    .library = true,
    .applies = has_aligned_parts,
#if CROSSWARP_HAS_NCCL
    .prepare = prepare,
    .missing = why_no_nccl_windows,
    .launch = all_gather,
#endif
    .of_peers = OfPeers::process,
}};

}  // namespace
}  // namespace crosswarp::gpu
