// What a user would call: the reduction by the idea that is best at its size. One block while one multiprocessor's
// loads are in flight at once, one cluster while its blocks' are, then a grid whose blocks post their partials, each
// with one tile of as few loads as fill the device, and for large arrays waves of them. Bound by the launch, by
// latency, by memory.
#include "backends/cuda/device/by_cluster.hpp"
#include "backends/cuda/device/by_mail.hpp"
#include "backends/cuda/device/by_ticket.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;
constexpr unsigned largest_unroll = 4;
constexpr unsigned cluster_blocks = 8;  // which every GPU with clusters has

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

/// Calls `use` with the least unroll with which `packs` take no more than `most_blocks` tiles, or with the largest.
template <class Use>
void with_unroll(std::size_t packs, unsigned most_blocks, Use&& use) {
  unsigned unroll = 1;
  while (unroll < largest_unroll && packs > std::size_t{most_blocks} * block * unroll) unroll *= 2;
  with_constant<1, 2, largest_unroll>(unroll, use);
}

bool has_clusters([[maybe_unused]] const Queue& queue) {
#if CROSSWARP_HAS_PTX
  return std::ranges::find(queue.device.features, "cluster") != queue.device.features.end();
#else
  return false;
#endif
}

unsigned most_blocks(const Queue& queue) {
  return resident_blocks_of(queue, block) * static_cast<unsigned>(queue.tuning["waves"]);
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) { return combining_bytes(most_blocks(queue)); }

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
    const std::size_t n = a.in.size(), packs = (n + Pack<T>::size - 1) / Pack<T>::size, kib = packs / 64;
    const Combining<Accumulator<T>> combining(queue.workspace);
    const auto launch_grid = [&]<unsigned threads, unsigned unroll>(unsigned blocks) {
      launch(reduce_grid<threads, unroll, T, Op>, blocks, threads, 0, queue, a.in.data(), n, combining, a.out.data());
    };
    if (packs <= 256) {
      launch_grid.template operator()<256, 1>(1);
    } else if (kib <= static_cast<std::size_t>(queue.tuning["block_kib"])) {
      if (packs <= 1024)
        launch_grid.template operator()<1024, 1>(1);
      else
        launch_grid.template operator()<1024, 4>(1);
    } else if (has_clusters(queue) && kib <= static_cast<std::size_t>(queue.tuning["cluster_kib"])) {
#if CROSSWARP_HAS_PTX
      with_unroll(packs, cluster_blocks, [&]<unsigned unroll>() {
        launch_clusters(cluster_blocks, reduce_by_cluster<block, unroll, T, Op>, cluster_blocks, block, 0, queue,
                        a.in.data(), n, combining, a.out.data());
      });
#endif
    } else {
      with_unroll(packs, static_cast<unsigned>(queue.device.compute_units), [&]<unsigned unroll>() {
        launch_grid.template operator()<block, unroll>(std::min(most_blocks(queue), tiles_of<T>(n, block, unroll)));
      });
    }
  });
}

Tuning tuning(int block_kib, int cluster_kib, int waves) {
  return {{{"block_kib", block_kib}, {"cluster_kib", cluster_kib}, {"waves", waves}}};
}

const Register<ReduceSum> variant{{
    .idea = "one block, a cluster or a grid, by size: bound by the launch, then by latency, then by memory",
    .improves = "mailbox",
    .tunings = {tuning(32, 256, 16), tuning(32, 0, 16), tuning(16, 128, 16), tuning(64, 512, 16), tuning(32, 256, 4),
                tuning(32, 256, 1)},
    .workspace = workspace,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
