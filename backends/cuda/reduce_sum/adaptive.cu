// The library-style entry point: dispatches by size, and by how it is launched. One block while one multiprocessor's
// loads are in flight at once, one cluster while its blocks' are, then a grid whose blocks add to one word, or, where
// there is no atomic for it, post their partials. The word must be cleared first, which in a stream hides behind the
// end of the launch before, and in a graph does not: there blocks post their partials up to the size at which a memset
// no longer shows. Bound by the launch, by latency, by memory.
#include "backends/cuda/reduce_sum/by_atomics.hpp"
#include "backends/cuda/reduce_sum/by_cluster.hpp"
#include "backends/cuda/reduce_sum/by_mail.hpp"
#include "backends/cuda/reduce_sum/by_ticket.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;
#if CROSSWARP_HAS_PTX
constexpr unsigned largest_unroll = 4;  // of a cluster; with it a grid's blocks need registers that other blocks want
constexpr unsigned cluster_blocks = 8;  // which every GPU with clusters has
#endif

// In a graph (H200, f32, time over CUB's): clusters 0.93, 0.91, 0.88 at 2^18, 2^20, 2^22, a grid that posts 0.92, 0.94,
// 0.91; at 2^24 the grid 0.99, clusters and a memset 1.01.
constexpr std::size_t graph_cluster_kib = std::size_t{16} << 10, graph_post_kib = std::size_t{64} << 10;

#if CROSSWARP_HAS_COOPERATIVE
template <class A>
using Combining = Mail<A>;
constexpr std::size_t combining_bytes(unsigned blocks) { return Mail<double>::bytes(blocks); }
#else
template <class A>
using Combining = Tickets<A>;
constexpr std::size_t combining_bytes(unsigned blocks) { return Tickets<double>::bytes(blocks); }
#endif

template <unsigned threads, unsigned unroll, class T, class Op>
__global__ void __launch_bounds__(threads)
    reduce_grid(const T* in, std::size_t n, Combining<Accumulator<T>> combining, Accumulator<T>* out) {
  const auto value = thread_value<threads, unroll>(in, n, Op());
#if CROSSWARP_HAS_COOPERATIVE
  combine_by_mail<threads, false>(value, combining, out, Op());
#else
  combine_by_ticket<threads>(value, combining, out, Op());
#endif
}

/// For one block, of at most threads × unroll packs.
template <unsigned threads, unsigned unroll, class T, class Op>
__global__ void __launch_bounds__(threads) reduce_in_block(const T* in, unsigned n, Accumulator<T>* out) {
  const Op op;
  const VecSplit<T> split(in, n);
  const auto* const packs = reinterpret_cast<const Vec<T>*>(in + split.head);
  const auto edge = edge_value<threads>(in, n, split, op);
  const auto value = block_reduce<threads>(op(partial_tile_value<threads, unroll>(packs, 0, split.packs, op), edge), op);
  if (threadIdx.x == 0) *out = value;
}

/// Calls `use` with the least of `unrolls` with which `packs` take no more than `most_blocks` tiles, or with the last.
template <unsigned... unrolls, class Use>
void with_unroll(std::size_t packs, unsigned most_blocks, Use&& use) {
  unsigned chosen = 0;
  ((chosen == 0 || packs > std::size_t{most_blocks} * block * chosen ? void(chosen = unrolls) : void()), ...);
  with_constant<unrolls...>(chosen, use);
}

bool has_clusters([[maybe_unused]] const Queue& queue) {
#if CROSSWARP_HAS_PTX
  return queue.device.has("cluster");
#else
  return false;
#endif
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
  return combining_bytes(resident_blocks_of(queue, block));
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
    const std::size_t n = a.in.size(), packs = (n + Vec<T>::size - 1) / Vec<T>::size, kib = packs / 64;
    const Combining<Accumulator<T>> combining(queue.workspace);
    const bool captured = is_captured(queue);
    const std::size_t cluster_kib =
        captured ? graph_cluster_kib : static_cast<std::size_t>(queue.tuning["cluster_kib"]);
    const auto launch_grid = [&] {
      with_unroll<1, 2>(packs, static_cast<unsigned>(queue.device.compute_units), [&]<unsigned unroll>() {
        launch(reduce_grid<block, unroll, T, Op>, grid_for<T>(queue, n, block, unroll, 1), block, 0, queue, a.in.data(),
               n, combining, a.out.data());
      });
    };
    const auto launch_block = [&]<unsigned threads, unsigned unroll>() {
      launch(reduce_in_block<threads, unroll, T, Op>, 1, threads, 0, queue, a.in.data(), static_cast<unsigned>(n),
             a.out.data());
    };
    if (packs <= 256) {
      launch_block.template operator()<256, 1>();
    } else if (packs <= 1024) {
      launch_block.template operator()<256, 4>();
    } else if (has_clusters(queue) && kib <= cluster_kib) {
#if CROSSWARP_HAS_PTX
      with_unroll<1, 2, largest_unroll>(packs, cluster_blocks, [&]<unsigned unroll>() {
        const unsigned tiles = tiles_of<T>(n, block, unroll), resident = resident_blocks_of(queue, block);
        const unsigned clusters =
            std::max(1u, std::min((tiles + cluster_blocks - 1) / cluster_blocks, resident / cluster_blocks));
        launch_clusters(cluster_blocks, reduce_by_cluster<block, unroll, T, Op>, clusters * cluster_blocks, block, 0,
                        queue, a.in.data(), n, combining, a.out.data());
      });
#endif
    } else if constexpr (std::same_as<Op, Sum>) {
      if (captured && kib <= graph_post_kib)
        launch_grid();
      else
        sum_by_atomics(queue, a, queue.tuning["waves"]);
    } else {
      launch_grid();
    }
  });
}

Tuning tuning(int cluster_kib, int waves) { return {{{"cluster_kib", cluster_kib}, {"waves", waves}}}; }

const Register<ReduceSum> variant{{
    .idea = "one block, clusters or a grid, by size and launch: bound by the launch, then by latency, then by memory",
    .improves = "mailbox",
    .tunings = {tuning(256, 16), tuning(128, 16), tuning(0, 16), tuning(512, 16), tuning(256, 1)},
    .workspace = workspace,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
