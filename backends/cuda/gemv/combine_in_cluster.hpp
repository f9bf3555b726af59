// GEMV where the matrix's rows run along n: blocks that share a range of columns are a cluster, each with a range of k,
// and store their sums into the shared memory of its first block. No trip to L2, no workspace. Bound by memory
// bandwidth; small ones by latency. For files that need "ptx".
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "backends/cuda/gemv/combine_rows.hpp"
#include "backends/cuda/resident_clusters.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace gemv {
namespace {

constexpr unsigned max_cluster = 8;            // what every device with clusters has room for
constexpr unsigned max_lanes_in_cluster = 32;  // whose sums of the cluster fit beside a block's own

/// The blocks of a cluster have `lanes` * width columns in common, and `block_depth` rows each. Requires a cluster that
/// covers k with no block beyond it, and no more than the lanes and blocks above.
template <class Values, unsigned width, class T, class Output>
__global__ void __launch_bounds__(combine_block, combine_min_blocks)
    combine_in_clusters(Matrix<T> matrix, const T* vector, unsigned lanes, std::size_t block_depth, Output c) {
  using S = SumOf<T>;
  __shared__ S sums[combine_block * width];
  __shared__ S of_blocks[(max_cluster - 1) * max_lanes_in_cluster * width];  // of all but the first, used there alone
  __shared__ Mbarrier arrived;
  const unsigned columns = lanes * width, rank = cluster_rank(), blocks = cluster_size();
  if (rank == 0 && threadIdx.x == 0) {
    arrived.init(1);
    fence_mbarrier_init();
    arrived.arrive_expect_tx((blocks - 1) * columns * sizeof(S));
  }
  // No block may store to another before the barrier there is initialised, and that block runs. Split around the loads,
  // this barrier of the cluster costs nothing.
  cluster_arrive_relaxed();
  const std::size_t first_column = std::size_t{blockIdx.x / blocks} * columns;
  const std::size_t begin = rank * block_depth;
  S sum = sum_columns<width>(matrix, vector, lanes, first_column, begin, std::min(begin + block_depth, matrix.rows),
                             sums, Values());
  cluster_wait();
  const OwnColumn own(columns);
  if (own.share != 0) return;
  if (rank != 0) return st_async(&of_blocks[(rank - 1) * columns + own.in_block], sum, &arrived, 0);
  arrived.wait_acquire_cluster(0);  // the barrier's first and only phase
  for (unsigned other = 0; other + 1 < blocks; ++other) sum += of_blocks[other * columns + own.in_block];
  if (const std::size_t column = first_column + own.in_block; column < matrix.columns) c.store_at(column, sum);
}

/// The cheapest plan. `splits`: most blocks of a cluster, up to max_cluster; fewer where ranges of equal depth cover k
/// sooner; 0: the cheapest of five numbers. `resident_clusters` returns how many clusters of so many blocks the device
/// holds at once. Requires as cheapest_plan().
template <class T, class ResidentClusters>
CombinePlan cluster_plan(const DeviceInfo& device, const Problem<T>& problem, std::size_t splits,
                         ResidentClusters resident_clusters) {
  constexpr std::size_t any_column = 0;
  return cheapest_plan(
      device, problem, any_column,
      [&](unsigned lanes, std::size_t) {
        if (lanes > max_lanes_in_cluster) return std::vector<std::size_t>{};
        return splits > 0 ? std::vector{splits} : std::vector<std::size_t>{2, 3, 4, 6, max_cluster};
      },
      [&](const CombinePlan& plan) {
        return combine_cycles(device, problem, plan, in_cluster,
                              std::size_t{resident_clusters(plan.splits)} * plan.splits);
      });
}

/// Clusters of `size` blocks that the current device holds at once.
template <class Values, class T, class Output>
unsigned resident_clusters_for(const Problem<T>& problem, const Output&, unsigned size) {
  unsigned count = 0;
  with_width(problem, [&]<unsigned width>() {
    count = resident_clusters(combine_in_clusters<Values, width, T, Output>, size, combine_block, 0);
  });
  return count;
}

template <class Values, class T, class Output>
void launch_combine_in_clusters(const Queue& queue, const Problem<T>& problem, const CombinePlan& plan,
                                const Output& c) {
  with_width(problem, [&]<unsigned width>() {
    launch_clusters(plan.splits, combine_in_clusters<Values, width, T, Output>, plan.column_blocks * plan.splits,
                    combine_block, 0, queue, problem.matrix, problem.vector, plan.lanes, plan.block_depth, c);
  });
}

}  // namespace
}  // namespace gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu

#endif
