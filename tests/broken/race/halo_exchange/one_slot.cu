// Packs into its neighbours' slots without an opening barrier, and has slots of one epoch: the next launch overwrites
// what a slow neighbour still unpacks.
// at: --n 40 --dims 2 --ranks 2
#include "tests/broken/cuda/halo_exchange/plain.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void kernel(Rank own, Block block, Peers<float> slots) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]), size = block.face_size();
  for (unsigned to = 0; to < block.faces(); ++to)
    for (auto i = static_cast<unsigned>(grid_thread()); i < size; i += static_cast<unsigned>(grid_threads()))
      slots.of[block.neighbours[to ^ 1]][to * size + i] = own.in.of[own.rank][block.inside(to ^ 1, i)];  // caught here
  sync(own, 0, epoch);
  for (unsigned face = 0; face < block.faces(); ++face)
    for (auto i = static_cast<unsigned>(grid_thread()); i < size; i += static_cast<unsigned>(grid_threads()))
      own.out.of[own.rank][block.beyond(face, i)] = slots.of[own.rank][face * size + i];
  end_epoch(*own.flags.of[own.rank], epoch);
}

void exchange_halos(const Queue& queue, const HaloExchange::Args& args) {
  launch_resident(kernel, 2, 64, 0, queue, rank_of(queue, args), args.block, workspaces<float>(queue, sizeof(Flags)));
}

std::size_t workspace(const Queue&, const HaloExchange::Args& args) {
  return sizeof(Flags) + args.block.faces() * args.block.face_size() * sizeof(float);
}

const Register<HaloExchange> variant{{
    .idea = "broken: slots of one epoch",
    .not_expressible = needs_peers,
    .workspace = workspace,
    .launch = exchange_halos,
}};

}  // namespace
}  // namespace crosswarp::gpu
