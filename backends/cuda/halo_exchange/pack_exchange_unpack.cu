// Pack, exchange, unpack: three kernels. Faces are packed into contiguous slots, stored to the neighbours by 16 bytes
// between two barriers of ranks, and unpacked into the halo. Bound by memory and the link one after the other; small
// faces by three launches and two barriers.
#include "backends/cuda/halo_exchange/faces.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

/// Stores each slot to the neighbour beyond its face.
__global__ void __launch_bounds__(max_threads)
    exchange_slots(const float* packed, const __grid_constant__ Peers<float> received,
                   const __grid_constant__ Block block, unsigned rank, unsigned ranks,
                   const __grid_constant__ Peers<Flags> flags) {
  const unsigned packs = slot_size(block) / 4, epoch = epoch_of(*flags.of[rank]);
  sync_ranks(flags, 0, rank, ranks, epoch);  // the neighbours have unpacked what they received before
  for (std::size_t at = grid_thread(); at < block.faces() * packs; at += grid_threads()) {
    const unsigned face = static_cast<unsigned>(at) / packs, i = static_cast<unsigned>(at) % packs;
    pack<Widest<float>>(received.of[block.neighbours[face]], (face ^ 1) * packs + i) = pack<Widest<float>>(packed, at);
  }
  sync_ranks(flags, 1, rank, ranks, epoch);  // all that this rank receives is there
  end_epoch(*flags.of[rank], epoch);
}

void exchange_halos(const Queue& queue, const HaloExchange::Args& args) {
  const std::size_t bytes = slot_bytes(args.block);
  const Shape shape(queue, bytes / 16);
  const Peers<float> packed = workspaces<float>(queue, sizeof(Flags));
  const Peers<float> received = workspaces<float>(queue, sizeof(Flags) + bytes);
  launch_pack(queue, args, packed.of[args.rank()]);
  launch_resident(exchange_slots, shape.blocks, shape.threads, 0, queue, packed.of[args.rank()], received, args.block,
                  args.rank(), args.ranks(), workspaces<Flags>(queue));
  launch_unpack(queue, args, received.of[args.rank()]);
}

void prepare(const Queue&, const HaloExchange::Args&) {
  preload(exchange_slots);
  preload(unpack_faces);
}

#endif

const Register<HaloExchange> variant{{
    .idea = "three kernels: faces into contiguous slots, slots to the neighbours, slots into the halo",
    .bound_by = "memory and the link in turn; small faces: three launches and two barriers",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const HaloExchange::Args& args) -> std::size_t {
      return sizeof(Flags) + 2 * slot_bytes(args.block);
    },
    .prepare = prepare,
    .launch = exchange_halos,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
