// From one value a thread to one a cluster of blocks: every warp stores its value right into the shared memory of the
// cluster's first block, whose barrier counts the bytes. No barrier of a block and no trip to L2; the clusters' values
// go by mail. Bound by the latency of one load and of one store between multiprocessors.
#pragma once

#include "backends/cuda/device/cluster.hpp"
#include "backends/cuda/reduce_sum/by_mail.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

constexpr unsigned largest_cluster = 16;

/// The grid is a multiple of the cluster's size.
template <unsigned block, unsigned unroll, class T, class Op>
__global__ void __launch_bounds__(block)
    reduce_by_cluster(const T* in, std::size_t n, Mail<Accumulator<T>> mail, Accumulator<T>* out) {
  using A = Accumulator<T>;
  constexpr unsigned warps = block / warp_size();
  __shared__ Mbarrier all_came;
  __shared__ A values[largest_cluster * warps];
  const Op op;
  const unsigned rank = cluster_rank(), blocks = cluster_size(), lane = threadIdx.x % warp_size();
  if (rank == 0 && threadIdx.x == 0) {
    all_came.init(1);
    fence_mbarrier_init();
    all_came.arrive_expect_tx(blocks * warps * sizeof(A));
  }
  cluster_arrive_relaxed();  // the wait behind the loads costs nothing
  const A of_warp = warp_reduce(thread_value<block, unroll>(in, n, op), op);
  cluster_wait();
  const unsigned warp = threadIdx.x / warp_size();
  if (lane == 0) st_async(&values[rank * warps + warp], of_warp, &all_came, 0);
  if (rank != 0 || warp != 0) return;

  const unsigned cluster = blockIdx.x / blocks, clusters = gridDim.x / blocks;
  all_came.wait_acquire_cluster(0);
  A value = Op::template identity<A>;
  for (unsigned i = lane; i < blocks * warps; i += warp_size()) value = op(value, values[i]);
  if (cluster == clusters - 1) value = op(value, mail.template collect<2>(lane, warp_size(), clusters - 1, op));
  value = warp_reduce(value, op);
  if (lane == 0) {
    if (cluster == clusters - 1)
      *out = value;
    else
      mail.post(cluster, value);
  }
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
