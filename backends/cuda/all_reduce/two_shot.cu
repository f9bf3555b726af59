// Two-shot: each rank adds its share of all arrays and stores the sum to every rank, reduce-scatter and all-gather in
// one pass. Each rank receives 2 (ranks - 1) / ranks arrays, the least; short arrays are bound by the two barriers of
// ranks.
#include "backends/cuda/all_reduce/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace all_reduce_two_shot {

#if CROSSWARP_HAS_PEERS

/// Adds packs first … last - 1 and stores them to all ranks, beginning with the next rank: each link has one writer.
template <class P, class T>
__device__ void add(const Peers<const T>& in, const Peers<T>& out, std::size_t first, std::size_t last, unsigned rank,
                    unsigned ranks) {
  for (std::size_t i = first + grid_thread(); i < last; i += grid_threads()) {
    const P sum = sum_over_ranks<P>(ranks, [&](unsigned r) { return pack<P>(in.of[r], i); });
    for (unsigned step = 1; step <= ranks; ++step) pack<P>(out.of[(rank + step) % ranks], i) = sum;
  }
}

/// In place, too: an element is read by one rank's thread alone, which then overwrites it.
template <class T>
__global__ void __launch_bounds__(max_threads)
    two_shot(const __grid_constant__ Peers<const T> in, const __grid_constant__ Peers<T> out, std::size_t n,
             unsigned rank, unsigned ranks, const __grid_constant__ Peers<Flags> flags) {
  constexpr std::size_t width = 16 / sizeof(T);
  const std::size_t packs = n / width, share = (packs + ranks - 1) / ranks;
  const unsigned epoch = epoch_of(*flags.of[rank]);
  sync_ranks(flags, 0, rank, ranks, epoch);  // all inputs are there, all outputs can be written
  add<Widest<T>>(in, out, rank * share, std::min<std::size_t>((rank + 1) * share, packs), rank, ranks);
  if (rank == ranks - 1) add<Single<T>>(in, out, packs * width, n, rank, ranks);
  sync_ranks(flags, 1, rank, ranks, epoch);  // all of this rank's output is there
  end_epoch(*flags.of[rank], epoch);
}

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  std::visit(
      [&]<class T>(const AllReduce::Typed<T>& a) {
        const Shape shape(queue, a.size() * sizeof(T) / 16 / a.ranks + 1);
        launch_resident(two_shot<T>, shape.blocks, shape.threads, 0, queue, inputs(a), outputs(a), a.size(), a.rank,
                        a.ranks, workspaces<Flags>(queue));
      },
      args.typed);
}

#endif

const Register<AllReduce> variant{{
    .idea = "each rank adds its share of all arrays and stores it to all ranks, between two barriers",
    .bound_by = "the link: 2 (ranks - 1) / ranks arrays to each; short ones: two barriers",
    .improves = "one_shot",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const AllReduce::Args&) { return sizeof(Flags); },
    .launch = all_reduce,
#endif
}};

}  // namespace all_reduce_two_shot
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
