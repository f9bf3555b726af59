// Ring: the part of each rank goes around, every rank adds its own elements and stores the sums to the next rank alone.
// Bound by the link, over which each rank sends ranks - 1 parts, the least; short parts by as many steps.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/reduce_scatter.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

/// What the rank before has brought, by step.
struct Steps {
  unsigned done[max_ranks][max_blocks];
};
constexpr std::size_t staging = (sizeof(Flags) + sizeof(Steps) + 15) / 16 * 16;  // where it begins in the workspace

/// Elements from one part to the next in the staging: whole vectors.
std::size_t staged_part(std::size_t n, std::size_t element) { return (n * element + 15) / 16 * 16 / element; }

/// The sums of `own` and, unless it is null, of what was staged, to where `to` points. Which thread adds an element
/// depends on n alone, and so is the same on every rank.
template <class T>
__device__ void add(T* to, const T* own, const T* staged, std::size_t n) {
  const auto each = [&]<class P>(std::size_t packs, P) {
    for (std::size_t i = grid_thread(); i < packs; i += grid_threads())
      pack<P>(to, i) = staged
                           ? sum_over_ranks<P>(2, [&](unsigned which) { return pack<P>(which == 0 ? own : staged, i); })
                           : pack<P>(own, i);
  };
  if (n * sizeof(T) % 16 == 0)
    each(n * sizeof(T) / 16, Widest<T>());
  else
    each(n, Single<T>());
}

/// Rank p's part begins at the rank behind it, p + 1, and comes to rank p last. In place, too: a rank's own part is
/// loaded and overwritten by one of its threads.
///
/// No barrier: staging of two epochs takes turns. A rank that stores in an epoch has received its part of the epoch
/// before, which the next rank sent after it had read all that was staged in the one before that.
template <class T>
__global__ void __launch_bounds__(max_threads)
    ring(const T* in, T* out, std::size_t n, std::size_t part, unsigned rank, unsigned ranks,
         const __grid_constant__ Peers<Flags> flags, const __grid_constant__ Peers<Steps> steps,
         const __grid_constant__ Peers<T> staged) {
  const unsigned next = (rank + 1) % ranks, epoch = epoch_of(*flags.of[rank]);
  const std::size_t turn = epoch % 2 * (ranks - 1);
  const auto staged_in = [&](unsigned at, unsigned step) { return staged.of[at] + (turn + step) * part; };
  for (unsigned step = 0; step + 1 < ranks; ++step) {
    const unsigned p = (rank + 2 * ranks - 1 - step) % ranks;
    add<T>(staged_in(next, step), in + p * n, step == 0 ? nullptr : staged_in(rank, step - 1), n);
    __syncthreads();
    if (threadIdx.x == 0) {
      store_release_system(&steps.of[next]->done[step][blockIdx.x], epoch);
      while (!has_reached(load_acquire_system(&steps.of[rank]->done[step][blockIdx.x]), epoch)) spin();
    }
    __syncthreads();
  }
  add<T>(out, in + rank * n, staged_in(rank, ranks - 2), n);
  end_epoch(*flags.of[rank], epoch);
}

void reduce_scatter(const Queue& queue, const ReduceScatter::Args& args) {
  std::visit(
      [&]<class T>(const ReduceScatter::Typed<T>& a) {
        const Shape shape(queue, args.bytes() / 16);
        launch_resident(ring<T>, shape.blocks, shape.threads, 0, queue, a.in[a.rank].data(), a.out[a.rank].data(), a.n,
                        staged_part(a.n, sizeof(T)), a.rank, a.ranks, workspaces<Flags>(queue),
                        workspaces<Steps>(queue, sizeof(Flags)), workspaces<T>(queue, staging));
      },
      args.typed);
}

std::size_t workspace(const Queue&, const ReduceScatter::Args& args) {
  return staging + 2 * (args.ranks() - 1) * staged_part(args.bytes(), 1);
}

#endif

const Register<ReduceScatter> variant{{
    .idea = "parts go around a ring of ranks, each rank adds its own and stores to the next one alone",
    .bound_by = "the link; short parts: ranks - 1 steps",
    .improves = "pull",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = workspace,
    .launch = reduce_scatter,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
