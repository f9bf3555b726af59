// Direct: each rank stores its faces straight into its neighbours' halos, between two barriers of ranks. No slots;
// bound by the link, over which faces across x are stores of `width` elements each; small faces by two barriers.
#include "backends/cuda/halo_exchange/faces.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__global__ void __launch_bounds__(max_threads)
    direct(const float* in, const __grid_constant__ Peers<float> out, const __grid_constant__ Block block,
           unsigned rank, unsigned ranks, const __grid_constant__ Peers<Flags> flags) {
  const unsigned epoch = epoch_of(*flags.of[rank]);
  sync_ranks(flags, 0, rank, ranks, epoch);  // the neighbours' halos can be written
  for_each_element(block, [&](unsigned face, unsigned i) {
    out.of[block.neighbours[face]][block.beyond(face ^ 1, i)] = in[block.inside(face, i)];
  });
  sync_ranks(flags, 1, rank, ranks, epoch);  // all of this rank's halo is there
  end_epoch(*flags.of[rank], epoch);
}

void exchange_halos(const Queue& queue, const HaloExchange::Args& args) {
  const RankSpans<float>& a = args.f32();
  const Shape shape(queue, work_of(args.block));
  launch_resident(direct, shape.blocks, shape.threads, 0, queue, a.in[a.rank].data(), outputs(a), args.block, a.rank,
                  a.ranks, workspaces<Flags>(queue));
}

#endif

const Register<HaloExchange> variant{{
    .idea = "each rank stores its faces straight into its neighbours' halos, between two barriers of ranks",
    .bound_by = "the link, by stores of single elements across x; small faces: two barriers",
    .improves = "pack_exchange_unpack",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const HaloExchange::Args&) { return sizeof(Flags); },
    .launch = exchange_halos,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
