// Pull: every rank loads all ranks' arrays, 16 bytes a load, between two barriers of ranks. Bound by reads over the
// link in flight; short arrays by the barriers.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/all_gather.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

constexpr unsigned unroll = 4;

/// In place, too: an array that peers load is the one part of its rank's output that nobody stores.
template <class T>
__global__ void __launch_bounds__(max_threads)
    pull(const __grid_constant__ Peers<const T> in, T* out, std::size_t n, unsigned rank, unsigned ranks,
         const __grid_constant__ Peers<Flags> flags) {
  const unsigned epoch = epoch_of(*flags.of[rank]);
  sync_ranks(flags, 0, rank, ranks, epoch);         // all inputs are there
  for (unsigned step = 1; step <= ranks; ++step) {  // beginning with the next rank: each link has one reader
    const unsigned peer = (rank + step) % ranks;
    T* const part = out + peer * n;
    if (part != in.of[peer]) copy_by_grid<unroll>(part, in.of[peer], n);
  }
  sync_ranks(flags, 1, rank, ranks, epoch);  // nobody reads this rank's input any more
  end_epoch(*flags.of[rank], epoch);
}

void all_gather(const Queue& queue, const AllGather::Args& args) {
  std::visit(
      [&]<class T>(const AllGather::Typed<T>& a) {
        const Shape shape(queue, args.bytes() / 16);
        launch_resident(pull<T>, shape.blocks, shape.threads, 0, queue, inputs(a), a.out[a.rank].data(), a.n, a.rank,
                        a.ranks, workspaces<Flags>(queue));
      },
      args.typed);
}

#endif

const Register<AllGather> variant{{
    .idea = "every rank loads all ranks' arrays, between two barriers of ranks",
    .bound_by = "reads over the link in flight; short arrays: two barriers",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const AllGather::Args&) { return sizeof(Flags); },
    .launch = all_gather,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
