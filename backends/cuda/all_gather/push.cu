// Push: every rank stores its array to all ranks, 16 bytes a store, between two barriers of ranks. Bound by the link;
// short arrays by the barriers.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/all_gather.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

constexpr unsigned unroll = 4;

/// In place, too: a rank's array is the one part of its output that no peer stores.
template <class T>
__global__ void __launch_bounds__(max_threads)
    push(const T* in, const __grid_constant__ Peers<T> out, std::size_t n, unsigned rank, unsigned ranks,
         const __grid_constant__ Peers<Flags> flags) {
  const unsigned epoch = epoch_of(*flags.of[rank]);
  sync_ranks(flags, 0, rank, ranks, epoch);         // all outputs can be written
  for (unsigned step = 1; step <= ranks; ++step) {  // beginning with the next rank: each link has one writer
    T* const part = out.of[(rank + step) % ranks] + rank * n;
    if (part != in) copy_by_grid<unroll>(part, in, n);
  }
  sync_ranks(flags, 1, rank, ranks, epoch);  // all of this rank's output is there
  end_epoch(*flags.of[rank], epoch);
}

void all_gather(const Queue& queue, const AllGather::Args& args) {
  std::visit(
      [&]<class T>(const AllGather::Typed<T>& a) {
        const Shape shape(queue, args.bytes() / 16);
        launch_resident(push<T>, shape.blocks, shape.threads, 0, queue, a.in[a.rank].data(), outputs(a), a.n, a.rank,
                        a.ranks, workspaces<Flags>(queue));
      },
      args.typed);
}

#endif

const Register<AllGather> variant{{
    .idea = "every rank stores its array to all ranks, between two barriers of ranks",
    .bound_by = "the link; short arrays: two barriers",
    .improves = "pull",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const AllGather::Args&) { return sizeof(Flags); },
    .launch = all_gather,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
