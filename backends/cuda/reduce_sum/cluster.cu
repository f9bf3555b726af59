// Reduction in clusters through distributed shared memory: every warp stores its partial into the shared memory of its
// cluster's first block, whose mbarrier counts the bytes; clusters publish flagged partials. No barrier of a block, no
// trip to L2 within a cluster. Bound by memory bandwidth; for small n by one load and one store between
// multiprocessors.
#include "backends/cuda/device/cluster.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/reduce_sum/dispatch.hpp"
#include "backends/cuda/reduce_sum/flagged_partials.hpp"
#include "backends/cuda/reduce_sum/thread_reduce.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace reduce_sum_cluster {

#if CROSSWARP_HAS_PTX
constexpr unsigned block = 512;
constexpr unsigned max_cluster = 16;

/// The grid is a multiple of the cluster's size.
template <unsigned unroll, class T, class Op>
__global__ void __launch_bounds__(block)
    reduce_clusters(const T* in, std::size_t n, FlaggedPartials<Accumulator<T>> partials, Accumulator<T>* out) {
  using A = Accumulator<T>;
  constexpr unsigned warps = block / warp_size();
  __shared__ Mbarrier arrived;
  __shared__ A of_warps[max_cluster * warps];  // partials of the cluster, used in its first block alone
  const Op op;
  const unsigned rank = cluster_rank(), blocks = cluster_size();
  const unsigned lane = threadIdx.x % warp_size();

  if (rank == 0 && threadIdx.x == 0) {
    arrived.init(1);
    fence_mbarrier_init();
    arrived.arrive_expect_tx(blocks * warps * sizeof(A));
  }
  // No block may store to another before the barrier there is initialised, and that block runs. Split around the loads,
  // this barrier of the cluster costs nothing.
  cluster_arrive_relaxed();
  const A of_warp = warp_reduce(thread_reduce<block, unroll>(in, n, op), op);
  cluster_wait();
  const unsigned warp = threadIdx.x / warp_size();
  if (lane == 0) st_async(&of_warps[rank * warps + warp], of_warp, &arrived, 0);
  if (rank != 0 || warp != 0) return;

  // The first warp of each cluster reduces the cluster's partials, that of the last cluster all others', too.
  const unsigned cluster = blockIdx.x / blocks, clusters = gridDim.x / blocks;
  arrived.wait_acquire_cluster(0);  // the barrier's first and only phase
  A value = Op::template identity<A>;
  for (unsigned i = lane; i < blocks * warps; i += warp_size()) value = op(value, of_warps[i]);
  if (cluster == clusters - 1) value = op(value, partials.template collect<2>(lane, warp_size(), clusters - 1, op));
  value = warp_reduce(value, op);
  if (lane == 0) {
    if (cluster == clusters - 1)
      *out = value;
    else
      partials.publish(cluster, value);
  }
}

void reduce(const Queue& queue, const ReduceSum::Args& args, unsigned size, int unroll) {
  with_constant<1, 2, 4>(unroll, [&]<unsigned unroll>() {
    dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
      const unsigned tiles = tile_count<T>(a.in.size(), block, unroll), resident = max_resident_blocks(queue, block);
      const unsigned clusters = std::max(1u, std::min((tiles + size - 1) / size, resident / size));
      launch_clusters(size, reduce_clusters<unroll, T, Op>, clusters * size, block, 0, queue, a.in.data(), a.in.size(),
                      FlaggedPartials<Accumulator<T>>(queue.workspace), a.out.data());
    });
  });
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
  return FlaggedPartials<double>::bytes(max_resident_blocks(queue, block));
}

void launch_tuned(const Queue& queue, const ReduceSum::Args& args) {
  reduce(queue, args, static_cast<unsigned>(queue.tuning["size"]), queue.tuning["unroll"]);
}

Tuning tuning(int size, int unroll) { return {{{"size", size}, {"unroll", unroll}}}; }
#endif

const Register<ReduceSum> variant{{
    .idea = "clusters of blocks: warps store their partials into another block's shared memory, no trip to L2",
    .bound_by = "memory bandwidth, or latency when small",
    .improves = "flagged_partials",
    .needs = {"ptx", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(8, 4), tuning(8, 2), tuning(8, 1), tuning(16, 1), tuning(16, 4), tuning(4, 1), tuning(4, 4),
                tuning(2, 4)},
    .workspace = workspace,
    .launch = launch_tuned,
#endif
}};

}  // namespace reduce_sum_cluster
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
