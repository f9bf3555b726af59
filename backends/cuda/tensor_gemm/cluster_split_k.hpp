// Split-K within clusters, for products of few tiles: a block multiplies one tile over its share of k, and the blocks
// of a cluster, which share the tile, exchange partial sums through distributed shared memory. No second launch, no
// partial sums in memory, and nothing of a persistent kernel's scheduling. For files that need "ptx".
#pragma once

#include <algorithm>
#include <bit>

#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/tensor_gemm/cluster_split_model.hpp"
#include "backends/cuda/tensor_gemm/persistent_gemm.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// A block's tile, 64 rows for each consumer warpgroup beside a producer warp, and its shared memory. `blocks` fit on a
/// multiprocessor.
template <unsigned tile_rows, unsigned tile_columns, unsigned resident_blocks>
struct ClusterSplitTile {
  static constexpr unsigned rows = tile_rows, columns = tile_columns, blocks = resident_blocks;
  static constexpr unsigned consumers = rows / 64, threads = consumers * warpgroup_size + 32;
  /// A consumer thread holds four sums of each group of eight columns: a vector.
  static constexpr unsigned groups = columns / 8, vector_bytes = 16, group_bytes = warpgroup_size * vector_bytes;
  static constexpr unsigned exchanged_bytes = groups * group_bytes;              ///< By a warpgroup.
  static constexpr unsigned available_bytes = (blocks == 1 ? 226 : 111) * 1024;  ///< Of 227 kB, or 113 each.
  static constexpr unsigned stages =
      std::min(12u, (available_bytes - consumers * exchanged_bytes) / OperandRing<rows, columns, 1>::stage_bytes);
  using Ring = OperandRing<rows, columns, stages>;
  static constexpr unsigned shared_bytes = Ring::bytes + consumers * exchanged_bytes;
};

struct ClusterSplitPlan {
  unsigned row_tiles, k_tiles;
  unsigned log2_splits;
  unsigned stage_bytes;  ///< Loaded to a stage: all boxes.
};

#if CROSSWARP_TARGET_HAS_WGMMA
/// Stores four floats to another block's shared memory and completes their bytes on that block's barrier. `to` and
/// `barrier`: its addresses, from mapa().
__device__ inline void st_async_vector(unsigned to, unsigned barrier, float a, float b, float c, float d) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%2, %3, %4, %5}, [%1];" ::"r"(to),
      "r"(barrier), "f"(a), "f"(b), "f"(c), "f"(d)
      : "memory");
}
__device__ inline void load_shared_vector(float (&to)[4], unsigned from) {
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
               : "r"(from)
               : "memory");
}

/// Slots of the same group are `own_groups` apart: adds halves until that many are left. By a template, whose loops all
/// have constant bounds: else the parts would lie in local memory.
template <unsigned half, unsigned groups>
__device__ void add_halves(float (&parts)[groups][4], unsigned own_groups) {
  if constexpr (half > 0)
    if (half >= own_groups) {
#pragma unroll
      for (unsigned slot = 0; slot < half; ++slot)
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) parts[slot][i] += parts[slot + half][i];
      add_halves<half / 2>(parts, own_groups);
    }
}

/// Adds the sums of warpgroups with the same rows in a cluster's blocks. Each block gets those of its own groups of
/// columns, groups / splits of them, as the first of `own`: every block sends each block, itself included, the vectors
/// of that one's groups, to slots in the order of senders. `exchanged`: the slots, Tile::exchanged_bytes; `received`
/// expects as many. By all threads of the warpgroup, once all blocks of the cluster have begun.
template <class Tile>
__device__ void exchange_sums(const float (&sums)[Tile::columns / 2], unsigned log2_splits, unsigned rank,
                              unsigned exchanged, Mbarrier& received, float (&own)[Tile::groups / 2][4]) {
  constexpr unsigned groups = Tile::groups;
  const unsigned own_groups = groups >> log2_splits;
  const unsigned slots = exchanged + threadIdx.x % warpgroup_size * Tile::vector_bytes;
  const unsigned barrier = shared_address(&received);
#pragma unroll
  for (unsigned g = 0; g < groups; ++g) {
    const unsigned to = (g << log2_splits) / groups, slot = rank * own_groups + (g & (own_groups - 1));
    st_async_vector(mapa(slots + slot * Tile::group_bytes, to), mapa(barrier, to), sums[4 * g], sums[4 * g + 1],
                    sums[4 * g + 2], sums[4 * g + 3]);
  }
  received.wait_acquire_cluster(0);
  float parts[groups][4];
#pragma unroll
  for (unsigned slot = 0; slot < groups; ++slot) load_shared_vector(parts[slot], slots + slot * Tile::group_bytes);
  add_halves<groups / 2>(parts, own_groups);
#pragma unroll
  for (unsigned slot = 0; slot < groups / 2; ++slot)
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) own[slot][i] = parts[slot][i];
}

/// Multiplies by the factor of `scale`, if there is one. Only sums over all of k may be: partial ones would round.
template <class Scale, unsigned count>
__device__ void multiply_by(const Scale& scale, float (&sums)[count]) {
  if constexpr (!std::is_same_v<Scale, Unscaled>) {
    const float factor = scale.value();
#pragma unroll
    for (float& sum : sums) sum *= factor;
  }
}

/// Stores the first `count` groups.
template <bool bf16, unsigned count, unsigned groups>
__device__ void store_groups(const Output& out, unsigned row, unsigned column, float (&sums)[groups][4]) {
  out.store_fragment<bf16>(row, column, reinterpret_cast<float(&)[4 * count]>(sums));
}

/// The kernel, for k-tiles that `Product` multiplies, as persistent_gemm() has them: WgmmaF16, not transposed, or
/// WgmmaKMajor. Cluster x: tile x, by columns of C's tiles. Scaled if there is a scale.
template <class Product, bool promoted, class Tile, class Scale>
__device__ void cluster_split_k(const CUtensorMap& a, const CUtensorMap& b, const ClusterSplitPlan& plan,
                                const Output& out, const Scale& scale) {
  constexpr unsigned stages = Tile::stages, consumer_warps = Tile::consumers * warpgroup_size / 32;
  __shared__ Pipeline<stages> pipeline;
  __shared__ Mbarrier received[Tile::consumers];
  const unsigned shared = warp_uniform(shared_address(swizzle_aligned_shared()));
  const typename Tile::Ring ring(shared);
  const unsigned warp = warp_uniform(threadIdx.x / 32), group = warp / 4;
  const unsigned rank = blockIdx.x & ((1u << plan.log2_splits) - 1), tile = blockIdx.x >> plan.log2_splits;
  const unsigned row = tile % plan.row_tiles * Tile::rows, column = tile / plan.row_tiles * Tile::columns;
  const unsigned first = plan.k_tiles * rank >> plan.log2_splits, end = plan.k_tiles * (rank + 1) >> plan.log2_splits;
  const auto with_boxes = [&](unsigned stage, unsigned k_tile, const auto& use) {
    const unsigned k = k_tile * tile_k, to_b = ring.b(stage);
    if constexpr (Product::b_is_transposed)
      use(to_b, b, column, k);
    else
#pragma unroll
      for (unsigned panel = 0; panel < Tile::columns; panel += row_elements)
        use(to_b + panel * row_bytes, b, k, column + panel);
    use(ring.a(stage), a, row, k);
  };

  const bool is_producer = threadIdx.x == Tile::consumers * warpgroup_size;
  if (is_producer) {
    prefetch_tensor_map(a);
    prefetch_tensor_map(b);
    with_boxes(0, first, [](unsigned, const CUtensorMap& map, unsigned r, unsigned c) { tma_prefetch(map, r, c); });
  }
  if (warp == 0) {
    if (threadIdx.x < stages) {
      pipeline.full[threadIdx.x].init(1);
      pipeline.empty[threadIdx.x].init(consumer_warps);
    }
    const unsigned receiver = threadIdx.x - stages;
    if (receiver < Tile::consumers) received[receiver].init(1);
    fence_mbarrier_init();
    if (receiver < Tile::consumers) received[receiver].arrive_expect_tx(Tile::exchanged_bytes);
  }
  __syncthreads();
  cluster_arrive_relaxed();
  grid_dependency_wait();

  PipelineState state;
  if (warp == consumer_warps) {
    if (is_producer) {
      for (unsigned k_tile = first; k_tile < end; ++k_tile, state.advance(stages)) {
        Mbarrier* const full = pipeline.producer_acquire(state, plan.stage_bytes);
        with_boxes(state.index, k_tile,
                   [&](unsigned to, const CUtensorMap& map, unsigned r, unsigned c) { tma_load(to, map, r, c, full); });
      }
      launch_dependents();
    }
    __syncwarp();
    cluster_wait();
    return;
  }

  TileSums<Product, promoted, Tile::columns> sums;
  const auto wait = [&] {
    pipeline.consumer_wait(state);
    const StagedTile staged{state.index, ring.a(state.index) + group * 64 * row_bytes, ring.b(state.index)};
    state.advance(stages);
    return staged;
  };
  const auto release = [&](unsigned stage) {
    if (threadIdx.x % 32 == 0) pipeline.consumer_release(stage);
  };
  sums.add(end - first, wait, release, [](unsigned, bool) {});
  cluster_wait();
  const unsigned warp_row = row + 16 * warp;
  if (plan.log2_splits == 0) {
    multiply_by(scale, sums.sums());
    return out.store_fragment<Product::is_bf16>(warp_row, column, sums.sums());
  }
  float own[Tile::groups / 2][4];
  exchange_sums<Tile>(sums.sums(), plan.log2_splits, rank, shared + Tile::Ring::bytes + group * Tile::exchanged_bytes,
                      received[group], own);
#pragma unroll
  for (auto& sums_of_group : own) multiply_by(scale, sums_of_group);
  const unsigned own_column = column + (rank * Tile::columns >> plan.log2_splits);
  if (plan.log2_splits == 1) store_groups<Product::is_bf16, Tile::groups / 2>(out, warp_row, own_column, own);
  if (plan.log2_splits == 2) store_groups<Product::is_bf16, Tile::groups / 4>(out, warp_row, own_column, own);
  if (plan.log2_splits == 3) store_groups<Product::is_bf16, Tile::groups / 8>(out, warp_row, own_column, own);
}
#endif

/// Launches `kernel` on `operands`, in words of 16 bits along k, of which B is transposed or not, with `splits` or,
/// where there are fewer k-tiles, the largest power of two that these allow. Requires k > 0.
template <class Tile, class Kernel, class... Scale>
void launch_cluster_split_k(const Queue& queue, Kernel* kernel, unsigned splits, const Operands& operands,
                            bool b_transposed, const Output& out, const Scale&... scale) {
  const unsigned k_tiles = blocks_for(operands.a.columns, tile_k);
  splits = std::min(splits, std::bit_floor(k_tiles));
  // Boxes as high as a matrix, in whole swizzles: what is beside them in a stage are other rows or columns of C, which
  // are not stored.
  const auto box = [](unsigned side, unsigned extent) { return std::min(side, (extent + 7) / 8 * 8); };
  const unsigned rows_of_a = box(Tile::rows, operands.a.rows);
  const unsigned rows_of_b = b_transposed ? box(Tile::columns, operands.b.rows) : tile_k;
  const unsigned boxes_of_b = b_transposed ? 1 : Tile::columns / row_elements;
  const unsigned row_tiles = blocks_for(out.rows, Tile::rows), column_tiles = blocks_for(out.columns, Tile::columns);
  const ClusterSplitPlan plan{.row_tiles = row_tiles,
                              .k_tiles = k_tiles,
                              .log2_splits = static_cast<unsigned>(std::countr_zero(splits)),
                              .stage_bytes = (rows_of_a + boxes_of_b * rows_of_b) * row_bytes};
  // By the default policy some multiprocessors get two blocks of clusters while others have none.
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeClusterSchedulingPolicyPreference,
                             cudaClusterSchedulingPolicyLoadBalancing),
        "scheduling of clusters");
  launch_clusters(splits, kernel, row_tiles * column_tiles * splits, Tile::threads, Tile::shared_bytes, queue,
                  tensor_map(operands.a, rows_of_a), tensor_map(operands.b, rows_of_b), plan, out, scale...);
}

/// Calls `use` with the configuration's tile: `[&]<class Tile>()`.
template <class Use>
void with_cluster_split_tile(const ClusterSplitConfig& config, Use&& use) {
  with_constant<64, 128>(config.rows, [&]<unsigned rows>() {
    with_constant<64, 128>(config.columns, [&]<unsigned columns>() {
      with_constant<1, 2>(config.blocks, [&]<unsigned blocks>() {
        if constexpr (rows + columns <= (blocks == 1 ? 192 : 128))
          use.template operator()<ClusterSplitTile<rows, columns, blocks>>();
        else
          throw Error("no kernel was compiled for this tile");
      });
    });
  });
}

/// The first most_cluster_split_choices of cluster_split_choices(), of kernels that `kernel_of` returns: `[&]<class
/// Tile>()`.
template <class KernelOf>
std::vector<ClusterSplitChoice> first_cluster_split_choices(const Queue& queue, std::size_t m, std::size_t n,
                                                            const Operands& operands, const KernelOf& kernel_of) {
  auto choices = cluster_split_choices(queue.device, m, n, operands, [&](const ClusterSplitConfig& config) {
    unsigned resident = 0;
    with_cluster_split_tile(config, [&]<class Tile>() {
      resident = count_resident_clusters<Tile>(queue, kernel_of.template operator()<Tile>(), {config.splits, 1});
    });
    return resident;
  });
  choices.resize(std::min(choices.size(), most_cluster_split_choices));
  return choices;
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
