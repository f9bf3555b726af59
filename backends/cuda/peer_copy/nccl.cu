// The library: ncclSend and ncclRecv in one group, arrays not registered. The yardstick.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/peer_copy.hpp"
#if CROSSWARP_HAS_NCCL
#include "backends/cuda/nccl_calls.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_NCCL

void send_and_receive(const Queue& queue, const PeerCopy::Args& args) {
  const RankSpans<float>& a = args.f32();
  in_nccl_group(a.rank, a.ranks, [&](ncclComm_t communicator) {
    in_nccl_pairs([&] {
      if (args.to != PeerCopy::nobody)
        check(nccl().send(a.in[a.rank].data(), a.n, ncclFloat32, static_cast<int>(args.to), communicator, queue.stream),
              "ncclSend");
      if (args.from != PeerCopy::nobody)
        check(nccl().recv(a.out[a.rank].data(), a.n, ncclFloat32, static_cast<int>(args.from), communicator,
                          queue.stream),
              "ncclRecv");
    });
  });
}

void prepare(const Queue&, const PeerCopy::Args& args) { make_nccl_communicator(args.rank(), args.ranks()); }

#endif

const Register<PeerCopy> variant{{
    .idea = "NCCL: ncclSend and ncclRecv in one group, arrays not registered",
    .bound_by = "the link",
    .not_expressible = needs_nccl,
    .library = true,
#if CROSSWARP_HAS_NCCL
    .prepare = prepare,
    .missing = why_no_nccl,
    .launch = send_and_receive,
#endif
    .of_peers = OfPeers::nothing,
}};

}  // namespace
}  // namespace crosswarp::gpu
