// Persistent, warp-specialized GEMM: resident clusters loop over output tiles. A producer thread loads k-tiles by TMA,
// multicast in the cluster, and runs ahead across tiles; consumer warpgroups multiply (wgmma), and store each tile
// while they multiply the next (deferred epilogue); of tiles that are split they leave partial sums in the workspace,
// which a second launch adds. For files that need "ptx". Requires rows of A and B at multiples of
// 16 bytes.
#pragma once

#include <map>
#include <tuple>

#include "backends/cuda/resident_clusters.hpp"
#include "backends/cuda/tensor_gemm/cluster_multicast.hpp"
#include "backends/cuda/tensor_gemm/deferred_epilogue.hpp"
#include "backends/cuda/tensor_gemm/split_tiles.hpp"
#include "backends/cuda/tensor_gemm/swapped_epilogue.hpp"
#include "backends/cuda/tensor_gemm/tile_sums.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// 64 rows for each consumer warpgroup; one more warpgroup is the producer. Swapped operands compute Cᵀ = Bᵀ·Aᵀ:
/// wgmma's N, which can be any multiple of 8, then runs along rows of C.
template <unsigned consumer_groups, unsigned tile_columns, bool swapped_operands = false>
struct PersistentTile {
  static constexpr Schedule schedule = Schedule::cooperative;
  static constexpr bool swapped = swapped_operands;
  static constexpr unsigned consumers = consumer_groups, rows = 64 * consumers, columns = tile_columns;
  static constexpr unsigned threads = (consumers + 1) * warpgroup_size;
  static constexpr unsigned consumer_warps = consumers * warpgroup_size / warp_size();

  static constexpr unsigned staging_bytes = consumer_warps * DeferredEpilogue<true, columns, true>::staging_bytes;
  static constexpr unsigned available_bytes = 226 * 1024;  ///< Of 227 kB; the last one is for the barriers.
  /// Room for MulticastLoader::loaded_columns. The second of swapped operands, A transposed, always runs along k.
  static constexpr unsigned ring_columns = swapped ? columns : in_whole_panels(columns);
  static constexpr unsigned stages =
      std::min(8u, (available_bytes - staging_bytes) / OperandRing<rows, ring_columns, 1>::stage_bytes);
  using Ring = OperandRing<rows, ring_columns, stages>;
  static constexpr unsigned shared_bytes = Ring::bytes + staging_bytes;

  /// Registers of a thread, by setmaxnreg. With one consumer there are enough for all.
  static constexpr int producer_registers = 24, consumer_registers = 240;
};

/// The kernel's parameters beside its matrices.
struct PersistentPlan {
  SplitTiles tiles;
  bool tma_store;  ///< Else warps store C, row by row.
  bool pdl;        ///< Prefetch the first k-tile into L2 before grid_dependency_sync().
};

#if CROSSWARP_TARGET_HAS_WGMMA
/// A block's place in a launch, the same for both schedules: consumer warpgroups, then one of the producer.
template <class Product, class Tile>
struct PersistentBlock {
  using Loader = MulticastLoader<Tile::rows, Tile::columns, Product::a_is_transposed, Product::b_is_transposed>;
  static_assert(Loader::bytes <= Tile::Ring::stage_bytes);

  const PersistentPlan& plan;
  const typename Tile::Ring ring;
  const ClusterPosition position;
  const unsigned first_work, clusters;  ///< Work tiles of its cluster: `first_work`, `first_work` + `clusters`, ...
  const unsigned group, warp;           ///< Of the calling thread.
  const Loader loader;

  __device__ PersistentBlock(const CUtensorMap& a, const CUtensorMap& b, const PersistentPlan& plan)
      : plan(plan),
        ring(warp_uniform(shared_address(swizzle_aligned_shared()))),
        position(plan.tiles.cluster),
        first_work(blockIdx.x / plan.tiles.cluster.size()),
        clusters(gridDim.x / plan.tiles.cluster.size()),
        group(warp_uniform(threadIdx.x / warpgroup_size)),
        warp(warp_uniform(threadIdx.x / warp_size())),
        loader(a, b, position) {}

  __device__ const TileScheduler& scheduler() const { return plan.tiles.scheduler; }
  __device__ bool is_producer_group() const { return group == Tile::consumers; }
  /// Where the block's tile of split work tile `i` leaves its sums.
  __device__ Output partial_sums(const Output& out, unsigned i) const {
    return plan.tiles.sums(out, i, position.row * plan.tiles.cluster.columns + position.column);
  }

  /// All that does not depend on the launch before. `init()`, by one thread, initialises the block's barriers;
  /// returns once all blocks of the cluster have done so and that launch is over.
  template <class Init>
  __device__ void begin(const CUtensorMap& c, const Init& init) const {
    if (threadIdx.x == 0) {
      prefetch_tensor_map(loader.a);
      prefetch_tensor_map(loader.b);
      if (plan.tma_store) prefetch_tensor_map(c);
      init();
    }
    if (plan.pdl && is_producer() && first_work < scheduler().count()) {
      const WorkTile work = scheduler().work_tile(first_work);
      loader.prefetch(position.tile(work.tile), work.first_k_tile);
    }
    cluster_arrive_relaxed();
    cluster_wait();  // every block's barriers are initialised
    grid_dependency_sync();
  }

  /// By the producer's warpgroup, of which one thread loads the k-tiles of the cluster's work tiles, of each the
  /// block's own tile. That thread returns once no consumer will arrive at the block's barriers any more.
  template <unsigned stages>
  __device__ void load_work(Pipeline<stages>& pipeline) const {
    if (!is_producer()) return;
    PipelineState state;
    // Alternate the direction along k: consecutive tiles share rows of A, and L2 still holds the part read last. Saves
    // a tenth of the reads from memory of 16-bit products at 4096 and 8192 (H200).
    bool is_backwards = false;
    for (unsigned i = first_work; i < scheduler().count(); i += clusters, is_backwards = !is_backwards) {
      const WorkTile work = scheduler().work_tile(i);
      for (unsigned step = 0; step < work.k_tiles; ++step, state.advance(stages)) {
        const unsigned k_tile = work.first_k_tile + (is_backwards ? work.k_tiles - 1 - step : step);
        Mbarrier* const full = pipeline.producer_acquire(state, loader.bytes);
        loader.load(position.tile(work.tile), k_tile, ring.a(state.index), ring.b(state.index), full);
      }
    }
    pipeline.producer_tail(state);
  }

 private:
  __device__ static bool is_producer() { return threadIdx.x == Tile::consumers * warpgroup_size; }
};

template <class Product, bool promoted, class Tile>
struct EpilogueOf {
  using Type = DeferredEpilogue<Product::is_bf16, Tile::columns, promoted>;
};
template <class Product, class Tile>
requires Tile::swapped struct EpilogueOf<Product, false, Tile> {
  using Type = SwappedEpilogue<Product::is_bf16, Tile::columns>;
};

/// By all threads of a block of Tile::threads, with Tile::shared_bytes of dynamic shared memory; launched by
/// launch_persistent(). Of swapped operands `a` is the map of B, `b` of A. `Product`, `promoted`: of TileSums. `scale`:
/// Unscaled, or what split-K's sums lack.
template <class Product, bool promoted, class Tile, class Scale>
__device__ void persistent_gemm(const CUtensorMap& a, const CUtensorMap& b, const CUtensorMap& c,
                                const PersistentPlan& plan, const Output& out, const Scale& scale) {
  constexpr unsigned columns = Tile::columns, stages = Tile::stages;
  static_assert(!(promoted && Tile::swapped));
  __shared__ Pipeline<stages> pipeline;
  const PersistentBlock<Product, Tile> block(a, b, plan);
  const TileScheduler& scheduler = block.scheduler();
  const unsigned warp = block.warp;
  block.begin(c, [&] { pipeline.init(block.position.peers() * Tile::consumer_warps); });

  if (block.is_producer_group()) {
    if constexpr (Tile::consumers > 1) setmaxnreg_dec<Tile::producer_registers>();
    block.load_work(pipeline);
  } else {
    if constexpr (Tile::consumers > 1) setmaxnreg_inc<Tile::consumer_registers>();
    const typename Tile::Ring& ring = block.ring;
    const MulticastRelease release(pipeline, block.position);
    using Epilogue = EpilogueOf<Product, promoted, Tile>::Type;
    static_assert(Tile::staging_bytes == Tile::consumer_warps * Epilogue::staging_bytes);
    Epilogue epilogue(c, out, plan.tma_store, ring.first_a + Tile::Ring::bytes + warp * Epilogue::staging_bytes);
    TileSums<Product, promoted, columns> sums;
    const auto sum = scaled(sums.sums(), scale);
    PipelineState state;
    unsigned row = 0, column = 0;  // where the warp's rows of the last tile begin
    bool is_whole = false;         // it is not split
    for (unsigned i = block.first_work; i < scheduler.count(); i += block.clusters) {
      const WorkTile work = scheduler.work_tile(i);
      const auto wait = [&] {
        pipeline.consumer_wait(state);
        const StagedTile tile{state.index, ring.a(state.index) + block.group * 64 * row_bytes, ring.b(state.index)};
        state.advance(stages);
        return tile;
      };
      sums.add(work.k_tiles, wait, release, [&](unsigned step, bool is_last) {
        epilogue.store_panel(step, sum);
        if (is_last) epilogue.store_rest(step + 1, sum);
      });
      const TileCoord tile = block.position.tile(work.tile);
      row = tile.row * Tile::rows + 16 * warp;
      column = tile.column * columns;
      is_whole = !scheduler.is_split(i);
      if (!is_whole) {
        epilogue.skip();
        const Output floats = block.partial_sums(out, i);
        if constexpr (Tile::swapped) {
          if (row < out.columns && column < out.rows)
            store_swapped_sums<columns>(floats, 0, 16 * warp, [&sums](unsigned j) { return sums.sums()[j]; });
        } else {
          if (row < out.rows && column < out.columns)
            floats.template store_fragment<Product::is_bf16>(16 * warp, 0, sums.sums());
        }
      } else if (i + block.clusters < scheduler.count()) {
        epilogue.take(row, column, sum);
      }
    }
    // Nothing is loaded any more, and only this warp reads its rows of A (of swapped operands this warpgroup, which
    // waits for all its warps): they are free, a panel in each stage.
    if (is_whole)
      epilogue.template store_last<stages>(row, column, ring.first_a + warp * Epilogue::warp_bytes, Tile::Ring::a_bytes,
                                           sum);
    epilogue.finish();
  }
}
#endif

/// Clusters of blocks of `kernel` that the device holds at once; 0 where they do not fit.
template <class Tile, class Kernel>
unsigned count_resident_clusters(const Queue& queue, Kernel* kernel, const ClusterShape& cluster) {
  static std::map<std::tuple<std::string, Kernel*, unsigned>, unsigned> known;  // the query is slow
  const auto [found, is_new] = known.try_emplace({queue.device.key, kernel, cluster.size()}, 0);
  if (is_new) found->second = resident_clusters(kernel, cluster.size(), Tile::threads, Tile::shared_bytes);
  return found->second;
}

/// The plan of `config` for operands of `k_tiles`. Requires Tile to be the configuration's. `partials`: room for
/// split-K's, if there are any.
template <class Tile>
PersistentPlan plan_for(const PersistentConfig& config, const Output& out, unsigned k_tiles, float* partials,
                        bool pdl) {
  const Raster raster{config.row_tiles(out.rows, out.columns), config.column_tiles(out.rows, out.columns),
                      config.raster};
  return {.tiles = {.partials = partials,
                    .scheduler = {.raster = raster,
                                  .k_tiles = k_tiles,
                                  .whole = config.splits == 1 ? raster.count() : config.whole,
                                  .splits = config.splits,
                                  .k_tiles_per_split = blocks_for(k_tiles, config.splits)},
                    .cluster = config.cluster,
                    .swapped = Tile::swapped,
                    .tile_rows = config.rows_of_c(),
                    .tile_columns = config.columns_of_c(),
                    .rows = config.stored_rows(out.rows),
                    .columns = config.stored_columns(out.columns)},
          .tma_store = out.columns % (out.is_f32 ? 4 : 8) == 0,
          .pdl = pdl};
}

/// Launches a kernel that is persistent_gemm() or pingpong_gemm() on `operands`, in words of 16 bits along k, of which
/// B is transposed or not; where Tile is swapped, they are swapped here. `resident`: no more clusters than that, which
/// is count_resident_clusters() or less.
template <class Tile, class Kernel, class... Scale>
void launch_plan(const Queue& queue, Kernel* kernel, const PersistentPlan& plan, unsigned resident,
                 const Operands& operands, bool b_transposed, const Output& out, const Scale&... scale) {
  const ClusterShape& cluster = plan.tiles.cluster;
  const unsigned blocks = std::min(plan.tiles.scheduler.count(), resident) * cluster.size();
  const bool rows_along_k = !Tile::swapped || b_transposed, columns_along_k = Tile::swapped || b_transposed;
  const unsigned share_a = (rows_along_k ? Tile::rows : tile_k) / cluster.columns;
  const unsigned share_b = (columns_along_k ? Tile::columns : tile_k) / cluster.rows;
  if (share_a % 8 != 0 || share_b % 8 != 0) throw Error("blocks of such a cluster cannot share tiles of this size");
  const CUtensorMap a = tensor_map(Tile::swapped ? operands.b : operands.a, share_a);
  const CUtensorMap b = tensor_map(Tile::swapped ? operands.a : operands.b, share_b);
  const CUtensorMap c =
      plan.tma_store ? tensor_map(out.data, out.rows, out.columns, out.columns, 16, out.is_f32 ? 4 : 2) : CUtensorMap{};
  launch_clusters(cluster.size(), kernel, blocks, Tile::threads, Tile::shared_bytes, queue, a, b, c, plan, out,
                  scale...);
}

/// Calls `use` with the tile and the kernel of a configuration: `[&]<class Tile>(auto* kernel)`. `Kernels`: a
/// variant's, with_kernel(args, config, use). Throws Error where it has none.
template <class Kernels, class Args, class Use>
void with_kernel_of(const Args& args, const PersistentConfig& config, Use&& use) {
  Kernels::with_kernel(args, config, [&]<class Tile>(auto* kernel) {
    if (config.swapped != Tile::swapped || config.schedule != Tile::schedule)
      throw Error("no kernel was compiled for this schedule or order of operands");
    use.template operator()<Tile>(kernel);
  });
}

/// Clusters that the device holds at once; 0 where they do not fit.
template <class Kernels, class Args>
unsigned count_resident(const Queue& queue, const Args& args, const PersistentConfig& config) {
  unsigned count = 0;
  with_kernel_of<Kernels>(args, config, [&]<class Tile>(auto* kernel) {
    count = count_resident_clusters<Tile>(queue, kernel, config.cluster);
  });
  return count;
}

/// Launches the configuration's kernel on all resident clusters; then stores the sums of split-K's partial sums, which
/// are at the beginning of the workspace, to `c`: `out`, scaled if there is a scale.
template <class Kernels, class Args, class C, class... Scale>
void launch_persistent(const Queue& queue, const Args& args, const PersistentConfig& config, const Operands& operands,
                       bool b_transposed, const Output& out, const C& c, const Scale&... scale) {
  with_kernel_of<Kernels>(args, config, [&]<class Tile>(auto* kernel) {
    const unsigned resident = count_resident_clusters<Tile>(queue, kernel, config.cluster);
    if (resident == 0) throw Error("no cluster of such blocks fits on this device");
    const PersistentPlan plan = plan_for<Tile>(config, out, blocks_for(operands.a.columns, tile_k),
                                               reinterpret_cast<float*>(queue.workspace.data()), queue.pdl);
    launch_plan<Tile>(queue, kernel, plan, resident, operands, b_transposed, out, scale...);
    launch_add_split_tiles(queue, plan.tiles, c);
  });
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
