// Pack to peer: one kernel gathers a face's elements, stores them contiguously into the neighbour's slots, and unpacks
// its own behind one barrier of ranks. Bound by the link, over which stores are whole sectors; small faces by a
// barrier.
#include "backends/cuda/halo_exchange/faces.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

/// A rank stores element `i` of the slot beyond a face in the thread in which the neighbour unpacks it: a barrier of
/// the same block of all ranks is enough.
///
/// Slots of two epochs take turns: a rank that stores in an epoch has passed the barrier of the one before, at which
/// its neighbours had unpacked the slots of the epoch before that.
__global__ void __launch_bounds__(max_threads)
    pack_to_peer(const float* in, float* out, const __grid_constant__ Block block, unsigned rank, unsigned ranks,
                 const __grid_constant__ Peers<Flags> flags, const __grid_constant__ Peers<float> slots) {
  const unsigned slot = slot_size(block), epoch = epoch_of(*flags.of[rank]);
  const std::size_t turn = epoch % 2 * block.faces() * slot;
  for_each_element(block, [&](unsigned to, unsigned i) {
    const unsigned from = to ^ 1;
    slots.of[block.neighbours[from]][turn + to * slot + i] = in[block.inside(from, i)];
  });
  sync_ranks(flags, 0, rank, ranks, epoch);  // all that this block receives is there
  for_each_element(
      block, [&](unsigned face, unsigned i) { out[block.beyond(face, i)] = slots.of[rank][turn + face * slot + i]; });
  end_epoch(*flags.of[rank], epoch);
}

void exchange_halos(const Queue& queue, const HaloExchange::Args& args) {
  const RankSpans<float>& a = args.f32();
  const Shape shape(queue, work_of(args.block));
  launch_resident(pack_to_peer, shape.blocks, shape.threads, 0, queue, a.in[a.rank].data(), a.out[a.rank].data(),
                  args.block, a.rank, a.ranks, workspaces<Flags>(queue), workspaces<float>(queue, sizeof(Flags)));
}

#endif

const Register<HaloExchange> variant{{
    .idea = "one kernel: packs faces straight into the neighbours' slots, unpacks behind one barrier of ranks",
    .bound_by = "the link; small faces: a barrier",
    .improves = "pack_exchange_unpack",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const HaloExchange::Args& args) -> std::size_t {
      return sizeof(Flags) + 2 * slot_bytes(args.block);
    },
    .launch = exchange_halos,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
