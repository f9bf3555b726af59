// Ring: each rank's array goes around, from each rank to the next one alone. Bound by the link, over which each rank
// sends ranks - 1 arrays, the least; short arrays by as many steps.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/all_gather.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

constexpr unsigned unroll = 4;

/// What the rank before has brought, by step.
struct Steps {
  unsigned done[max_ranks][max_blocks];
};

/// Blocks are rings of their own: the elements of a part that a block copies depend on n and on where the part begins
/// (copy_by_grid), and so are the same on every rank.
///
/// The barrier in front says that the next rank's output can be written. Behind, there is none: a rank stores into the
/// next one's output alone, which waits for it; and nobody reads a rank's arrays but itself.
template <class T>
__global__ void __launch_bounds__(max_threads)
    ring(const T* in, const __grid_constant__ Peers<T> out, std::size_t n, unsigned rank, unsigned ranks,
         const __grid_constant__ Peers<Flags> flags, const __grid_constant__ Peers<Steps> steps) {
  const unsigned next = (rank + 1) % ranks, epoch = epoch_of(*flags.of[rank]);
  T *const own_out = out.of[rank], *const next_out = out.of[next];
  if (own_out + rank * n != in) copy_by_grid<unroll>(own_out + rank * n, in, n);
  sync_ranks(flags, 0, rank, ranks, epoch);
  for (unsigned step = 0; step + 1 < ranks; ++step) {
    const unsigned part = (rank + ranks - step) % ranks;  // which the rank before has just sent
    copy_by_grid<unroll>(next_out + part * n, step == 0 ? in : own_out + part * n, n);
    __syncthreads();
    if (threadIdx.x == 0) {
      store_release_system(&steps.of[next]->done[step][blockIdx.x], epoch);
      while (!has_reached(load_acquire_system(&steps.of[rank]->done[step][blockIdx.x]), epoch)) spin();
    }
    __syncthreads();
  }
  end_epoch(*flags.of[rank], epoch);
}

void all_gather(const Queue& queue, const AllGather::Args& args) {
  std::visit(
      [&]<class T>(const AllGather::Typed<T>& a) {
        const Shape shape(queue, args.bytes() / 16);
        launch_resident(ring<T>, shape.blocks, shape.threads, 0, queue, a.in[a.rank].data(), outputs(a), a.n, a.rank,
                        a.ranks, workspaces<Flags>(queue), workspaces<Steps>(queue, sizeof(Flags)));
      },
      args.typed);
}

#endif

const Register<AllGather> variant{{
    .idea = "arrays go around a ring of ranks, each rank stores to the next one alone",
    .bound_by = "the link; short arrays: a barrier and ranks - 1 steps",
    .improves = "push",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const AllGather::Args&) { return sizeof(Flags) + sizeof(Steps); },
    .launch = all_gather,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
