// Pull: every rank loads its part of all ranks' arrays and adds it, between two barriers of ranks. Bound by reads over
// the link in flight; short parts by the barriers.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/reduce_scatter.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

template <class P, class T>
__device__ void add(const Peers<const T>& in, T* out, std::size_t offset, std::size_t packs, unsigned ranks) {
  for (std::size_t i = grid_thread(); i < packs; i += grid_threads())
    pack<P>(out, i) = sum_over_ranks<P>(ranks, [&](unsigned r) { return pack<P>(in.of[r] + offset, i); });
}

/// In place, too: an element of a rank's own part is loaded by one of its threads alone, which then overwrites it.
template <class T>
__global__ void __launch_bounds__(max_threads)
    pull(const __grid_constant__ Peers<const T> in, T* out, std::size_t n, unsigned rank, unsigned ranks,
         const __grid_constant__ Peers<Flags> flags) {
  const unsigned epoch = epoch_of(*flags.of[rank]);
  sync_ranks(flags, 0, rank, ranks, epoch);  // all inputs are there
  if (n * sizeof(T) % 16 == 0)               // so that every part begins at a multiple of 16 bytes
    add<Widest<T>>(in, out, rank * n, n * sizeof(T) / 16, ranks);
  else
    add<Single<T>>(in, out, rank * n, n, ranks);
  sync_ranks(flags, 1, rank, ranks, epoch);  // nobody reads this rank's input any more
  end_epoch(*flags.of[rank], epoch);
}

void reduce_scatter(const Queue& queue, const ReduceScatter::Args& args) {
  std::visit(
      [&]<class T>(const ReduceScatter::Typed<T>& a) {
        const Shape shape(queue, args.bytes() / 16);
        launch_resident(pull<T>, shape.blocks, shape.threads, 0, queue, inputs(a), a.out[a.rank].data(), a.n, a.rank,
                        a.ranks, workspaces<Flags>(queue));
      },
      args.typed);
}

#endif

const Register<ReduceScatter> variant{{
    .idea = "every rank loads its part of all ranks' arrays and adds it, between two barriers of ranks",
    .bound_by = "reads over the link in flight; short parts: two barriers",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const ReduceScatter::Args&) { return sizeof(Flags); },
    .launch = reduce_scatter,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
