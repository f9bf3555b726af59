// The library: faces packed by a kernel, ncclSend and ncclRecv of all faces in one group, unpacked by a kernel. The
// yardstick.
#include "backends/cuda/halo_exchange/faces.hpp"
#if CROSSWARP_HAS_NCCL
#include <vector>

#include "backends/cuda/nccl_calls.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_NCCL

/// Sends the slot of each face, and receives one for it. Between the same two ranks, sends and receives match in their
/// order: where both neighbours along an axis are one rank, what it sends from face f is received beyond face f ^ 1.
void send_and_receive(const Queue& queue, const Block& block, const float* packed, float* received,
                      ncclComm_t communicator) {
  const unsigned slot = slot_size(block), size = block.face_size();
  for (unsigned from = 0; from < block.faces(); ++from) {
    const unsigned to = from ^ 1;
    check(nccl().send(packed + from * slot, size, ncclFloat32, static_cast<int>(block.neighbours[from]), communicator,
                      queue.stream),
          "ncclSend");
    check(nccl().recv(received + to * slot, size, ncclFloat32, static_cast<int>(block.neighbours[to]), communicator,
                      queue.stream),
          "ncclRecv");
  }
}

/// A rank whose slots are to be unpacked.
struct Receiver {
  int device;
  Queue queue;
  HaloExchange::Args args;
  const float* received;
};

/// NCCL enqueues its work when the group ends, which is in the last rank's launch where one process makes all ranks'
/// calls: that enqueues all ranks' unpacking.
void exchange_halos(const Queue& queue, const HaloExchange::Args& args) {
  static std::vector<Receiver> receivers;
  float* const packed = workspaces<float>(queue).of[args.rank()];
  float* const received = packed + slot_bytes(args.block) / sizeof(float);
  int device = 0;
  check(cudaGetDevice(&device), "current device");
  if (begins_nccl_calls(args.rank())) receivers.clear();
  receivers.push_back({device, queue, args, received});
  launch_pack(queue, args, packed);
  in_nccl_group(args.rank(), args.ranks(), [&](ncclComm_t communicator) {
    in_nccl_pairs([&] { send_and_receive(queue, args.block, packed, received, communicator); });
  });
  if (!ends_nccl_calls(args.rank(), args.ranks())) return;
  for (const Receiver& each : receivers) {  // the last one is the current rank: its device is current again behind it
    check(cudaSetDevice(each.device), "current device");
    launch_unpack(each.queue, each.args, each.received);
  }
}

void prepare(const Queue&, const HaloExchange::Args& args) {
  make_nccl_communicator(args.rank(), args.ranks());
  preload(unpack_faces);
}

#endif

const Register<HaloExchange> variant{{
    .idea = "NCCL: a kernel packs, ncclSend and ncclRecv of all faces in one group, a kernel unpacks",
    .bound_by = "the link; small faces: three launches",
    .not_expressible = needs_nccl,
    .library = true,
#if CROSSWARP_HAS_NCCL
    .workspace = [](const Queue&, const HaloExchange::Args& args) -> std::size_t { return 2 * slot_bytes(args.block); },
    .prepare = prepare,
    .missing = why_no_nccl,
    .launch = exchange_halos,
#endif
    .of_peers = OfPeers::nothing,
}};

}  // namespace
}  // namespace crosswarp::gpu
