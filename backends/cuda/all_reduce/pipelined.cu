// Two-shot as a software pipeline: while packs of one rank are added, the loads of the next rank's, or of the next
// packs, are in flight. Bound by the link; for arrays so long that each thread has several packs.
#include "backends/cuda/all_reduce/dispatch.hpp"
#include "backends/cuda/device/with_constant.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace all_reduce_pipelined {

#if CROSSWARP_HAS_PEERS

/// Adds packs first … last - 1, `depth` at a time in each thread, and stores them to all ranks, beginning with the next
/// rank. A step is `depth` packs of one rank; its loads are issued before the step ahead of it is added.
template <class P, unsigned depth, class T>
__device__ void add(const Peers<const T>& in, const Peers<T>& out, std::size_t first, std::size_t last, unsigned rank,
                    unsigned ranks) {
  constexpr unsigned width = sizeof(P) / sizeof(T);
  const std::size_t all = grid_threads();
  const auto load = [&](P(&to)[depth], std::size_t at, unsigned r) {
#pragma unroll
    for (unsigned u = 0; u < depth; ++u) to[u] = at + u * all < last ? pack<P>(in.of[r], at + u * all) : P{};
  };
  float sums[depth][width] = {};
  P loaded[depth];
  std::size_t at = first + grid_thread();
  load(loaded, at, 0);
  for (unsigned r = 0; at < last;) {
    const unsigned next_rank = r + 1 < ranks ? r + 1 : 0;
    const std::size_t next_at = next_rank == 0 ? at + depth * all : at;
    P next[depth];
    load(next, next_at, next_rank);
#pragma unroll
    for (unsigned u = 0; u < depth; ++u)
#pragma unroll
      for (unsigned e = 0; e < width; ++e) sums[u][e] += as_float(loaded[u].of[e]);
    if (next_rank == 0)
#pragma unroll
      for (unsigned u = 0; u < depth; ++u) {
        P sum;
#pragma unroll
        for (unsigned e = 0; e < width; ++e) sum.of[e] = rounded_to<T>(sums[u][e]), sums[u][e] = 0;
        if (const std::size_t i = at + u * all; i < last)
          for (unsigned step = 1; step <= ranks; ++step) pack<P>(out.of[(rank + step) % ranks], i) = sum;
      }
#pragma unroll
    for (unsigned u = 0; u < depth; ++u) loaded[u] = next[u];
    at = next_at, r = next_rank;
  }
}

/// In place, too: an element is read by one rank's thread alone, which then overwrites it.
template <unsigned depth, class T>
__global__ void __launch_bounds__(max_threads)
    pipelined(const __grid_constant__ Peers<const T> in, const __grid_constant__ Peers<T> out, std::size_t n,
              unsigned rank, unsigned ranks, const __grid_constant__ Peers<Flags> flags) {
  constexpr std::size_t width = 16 / sizeof(T);
  const std::size_t packs = n / width, share = (packs + ranks - 1) / ranks;
  const unsigned epoch = epoch_of(*flags.of[rank]);
  sync_ranks(flags, 0, rank, ranks, epoch);  // all inputs are there, all outputs can be written
  add<Widest<T>, depth>(in, out, rank * share, std::min<std::size_t>((rank + 1) * share, packs), rank, ranks);
  if (rank == ranks - 1) add<Single<T>, 1>(in, out, packs * width, n, rank, ranks);
  sync_ranks(flags, 1, rank, ranks, epoch);  // all of this rank's output is there
  end_epoch(*flags.of[rank], epoch);
}

void all_reduce(const Queue& queue, const AllReduce::Args& args, int depth) {
  std::visit(
      [&]<class T>(const AllReduce::Typed<T>& a) -> void {
        const Shape shape(queue, args.bytes() / 16 / a.ranks + 1);
        with_constant<2, 4, 8>(depth, [&]<unsigned depth>() {
          launch_resident(pipelined<depth, T>, shape.blocks, shape.threads, 0, queue, inputs(a), outputs(a), a.n,
                          a.rank, a.ranks, workspaces<Flags>(queue));
        });
      },
      args.typed);
}

void launch_tuned(const Queue& queue, const AllReduce::Args& args) { all_reduce(queue, args, queue.tuning["depth"]); }

#endif

const Register<AllReduce> variant{{
    .idea = "two-shot, the next loads in flight while what came before is added and stored",
    .bound_by = "the link: 2 (ranks - 1) / ranks arrays to each; short ones: two barriers",
    .improves = "two_shot",
    .not_expressible = needs_peers,
    .tunings = {{{{"depth", 4}}}, {{{"depth", 2}}}, {{{"depth", 8}}}},
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const AllReduce::Args&) { return sizeof(Flags); },
    .launch = launch_tuned,
#endif
}};

}  // namespace all_reduce_pipelined
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
