// Persistent, warp-specialized GEMM: resident clusters loop over output tiles. A producer thread loads k-tiles by TMA,
// multicast in the cluster, and runs ahead across tiles; consumer warpgroups multiply (wgmma), and store each tile
// while they multiply the next (deferred epilogue). Requires rows of A and B at multiples of 16 bytes. Bound by the
// matrix units; at large sizes by power.
#include <map>
#include <tuple>

#include "backends/cuda/device/cluster.hpp"
#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/device/split_k.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f8/dispatch.hpp"
#include "backends/cuda/matmul_f8/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/deferred_epilogue.hpp"
#include "backends/cuda/tensor_gemm/tensor_map.hpp"
#include "backends/cuda/tensor_gemm/tile_scheduler.hpp"
#include "backends/cuda/tensor_gemm/wgmma_k_major.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f8_persistent {

#if CROSSWARP_HAS_PTX
/// 64 rows for each consumer warpgroup; one more warpgroup is the producer.
template <unsigned consumers, unsigned tile_columns>
struct BlockTile {
  static constexpr unsigned rows = 64 * consumers, columns = tile_columns;
  static constexpr unsigned threads = (consumers + 1) * warpgroup_size;
  static constexpr unsigned consumer_warps = consumers * warpgroup_size / warp_size();

  static constexpr unsigned staging_bytes = consumer_warps * DeferredEpilogue<true, columns>::staging_bytes;
  static constexpr unsigned available_bytes = 226 * 1024;  ///< Of 227 kB; the last one is for the barriers.
  static constexpr unsigned stages =
      std::min(8u, (available_bytes - staging_bytes) / OperandRing<rows, columns, 1>::stage_bytes);
  using Ring = OperandRing<rows, columns, stages>;
  static constexpr unsigned shared_bytes = Ring::bytes + staging_bytes;

  /// Registers of a thread, by setmaxnreg. With one consumer there are enough for all.
  static constexpr int producer_registers = 40, consumer_registers = 232;
};

/// The kernel's parameters beside its matrices.
struct Plan {
  TileScheduler scheduler;  ///< Of clusters' tiles.
  unsigned cluster_rows, cluster_columns;
  std::size_t split_pitch;  ///< Elements between splits' partial sums.
  bool tma_store;           ///< Else warps store C, row by row.
  bool pdl;                 ///< Prefetch the first k-tile into L2 before grid_dependency_sync().
};

/// A block's place in a cluster of one or two blocks. Two in a row share rows of A, two in a column columns of B: each
/// loads half of these and multicasts it.
struct ClusterPlace {
  unsigned rows, columns, rank;

  __device__ explicit ClusterPlace(const Plan& plan)
      : rows(plan.cluster_rows), columns(plan.cluster_columns), rank(cluster_rank()) {}
  __device__ unsigned size() const { return rows * columns; }
  /// The block's tile of C within a cluster tile.
  __device__ TileCoord tile(const TileCoord& of_cluster) const {
    return {of_cluster.row * rows + (rows == 2 ? rank : 0), of_cluster.column * columns + (columns == 2 ? rank : 0)};
  }

  /// Starts the loads of a k-tile into a stage at the shared addresses `to_a` and `to_b`.
  template <class Tile>
  __device__ void load(const CUtensorMap& a, const CUtensorMap& b, const TileCoord& tile, unsigned k_tile,
                       unsigned to_a, unsigned to_b, Mbarrier* full) const {
    load_operand(a, tile.row * Tile::rows, k_tile, to_a, columns == 2 ? Tile::rows / 2 : 0, full);
    load_operand(b, tile.column * Tile::columns, k_tile, to_b, rows == 2 ? Tile::columns / 2 : 0, full);
  }
  /// Brings the same into L2.
  template <class Tile>
  __device__ void prefetch(const CUtensorMap& a, const CUtensorMap& b, const TileCoord& tile, unsigned k_tile) const {
    tma_prefetch(a, tile.row * Tile::rows + (columns == 2 ? rank * Tile::rows / 2 : 0), k_tile * tile_k);
    tma_prefetch(b, tile.column * Tile::columns + (rows == 2 ? rank * Tile::columns / 2 : 0), k_tile * tile_k);
  }

 private:
  /// `half`: rows that each of two blocks loads for both; 0 where the operand is not shared.
  __device__ void load_operand(const CUtensorMap& map, unsigned row, unsigned k_tile, unsigned to, unsigned half,
                               Mbarrier* full) const {
    const unsigned first = rank * half;
    if (half > 0)
      tma_load_multicast(to + first * row_bytes, map, row + first, k_tile * tile_k, full, std::uint16_t{3});
    else
      tma_load(to, map, row, k_tile * tile_k, full);
  }
};

template <class A, bool promoted, unsigned consumers, unsigned columns>
__global__ void __launch_bounds__(BlockTile<consumers, columns>::threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b,
                [[maybe_unused]] const __grid_constant__ CUtensorMap c, [[maybe_unused]] const Plan plan,
                [[maybe_unused]] const Output out, [[maybe_unused]] const Scale scale) {
#if CROSSWARP_TARGET_HAS_WGMMA
  using Tile = BlockTile<consumers, columns>;
  constexpr unsigned stages = Tile::stages;
  __shared__ Pipeline<stages> pipeline;
  const typename Tile::Ring ring(uniform_in_warp(shared_address(swizzle_aligned_shared())));
  const TileScheduler& scheduler = plan.scheduler;
  const ClusterPlace place(plan);
  const unsigned first_work = blockIdx.x / place.size(), clusters = gridDim.x / place.size();
  if (threadIdx.x == 0) {
    prefetch_tensor_map(a);
    prefetch_tensor_map(b);
    if (plan.tma_store) prefetch_tensor_map(c);
    pipeline.init(place.size() * Tile::consumer_warps);
  }
  const unsigned group = uniform_in_warp(threadIdx.x / warpgroup_size),
                 warp = uniform_in_warp(threadIdx.x / warp_size());
  const bool is_producer = threadIdx.x == consumers * warpgroup_size;
  if (plan.pdl && is_producer && first_work < scheduler.count()) {
    const WorkTile work = scheduler.work_tile(first_work);
    place.prefetch<Tile>(a, b, place.tile(work.tile), work.first_k_tile);
  }
  cluster_arrive_relaxed();
  cluster_wait();  // every block's barriers are initialised
  grid_dependency_sync();

  PipelineState state;
  if (group == consumers) {  // producer
    if constexpr (consumers > 1) setmaxnreg_dec<Tile::producer_registers>();
    if (is_producer) {
      // Alternate the direction along k: consecutive tiles share rows of A, and L2 still holds the part read last.
      bool is_backwards = false;
      for (unsigned i = first_work; i < scheduler.count(); i += clusters, is_backwards = !is_backwards) {
        const WorkTile work = scheduler.work_tile(i);
        for (unsigned step = 0; step < work.k_tiles; ++step, state.advance(stages)) {
          const unsigned k_tile = work.first_k_tile + (is_backwards ? work.k_tiles - 1 - step : step);
          Mbarrier* const full = pipeline.producer_acquire(state, Tile::Ring::stage_bytes);
          place.load<Tile>(a, b, place.tile(work.tile), k_tile, ring.a(state.index), ring.b(state.index), full);
        }
      }
      pipeline.producer_tail(state);
    }
  } else {  // consumers
    if constexpr (consumers > 1) setmaxnreg_inc<Tile::consumer_registers>();
    // A lane for each block that loads into this one's stages.
    const unsigned lane = threadIdx.x % warp_size(), empty = mapa(shared_address(pipeline.empty), lane % place.size());
    const auto release = [&](unsigned stage) {
      if (lane < place.size()) Mbarrier::arrive_remote(empty + stage * sizeof(Mbarrier));
    };
    const float factor = scale.value();
    using Epilogue = DeferredEpilogue<true, columns>;
    Epilogue epilogue(c, out, plan.tma_store, ring.first_a + Tile::Ring::bytes + warp * Epilogue::staging_bytes);
    TileSums<A, promoted, columns> sums;
    for (unsigned i = first_work; i < scheduler.count(); i += clusters) {
      const WorkTile work = scheduler.work_tile(i);
      for (unsigned step = 0; step < work.k_tiles; ++step, state.advance(stages)) {
        pipeline.consumer_wait(state);
        sums.add(step, state.index, ring.a(state.index) + group * 64 * row_bytes, ring.b(state.index), release);
        epilogue.store_panel(step);
      }
      epilogue.store_rest(work.k_tiles);
      sums.finish(release);
      const TileCoord tile = place.tile(work.tile);
      const unsigned row = tile.row * Tile::rows + 16 * warp, column = tile.column * columns;
      if (scheduler.splits == 1) {
        float scaled[columns / 2];
        scale_all(scaled, sums.sums(), factor);
        epilogue.take(row, column, scaled);
      } else {
        out.offset(work.split * plan.split_pitch).template store_fragment<true>(row, column, sums.sums());
      }
    }
    // The ring is free: nothing is loaded any more, and only this warp reads its rows of A. One panel for each stage.
    static_assert(Epilogue::panels <= stages);
    epilogue.drain(ring.first_a + warp * Epilogue::panel_bytes, Tile::Ring::a_bytes);
  }
#endif
}

/// Calls `use` for the configuration's kernel: `[&]<class Tile>(kernel)`. Promoted sums have registers for 128 columns.
template <class Use>
void with_kernel(const MatmulF8::Args& args, const Config& config, Use&& use) {
  const auto by_tile = [&]<class A, bool promoted>() {
    with_constant<64, 128>(config.rows, [&]<unsigned rows>() {
      with_constant<128, 256>(config.columns, [&]<unsigned columns>() {
        if constexpr (columns == 128 || (rows == 128 && !promoted))
          use.template operator()<BlockTile<rows / 64, columns>>(gemm_kernel<A, promoted, rows / 64, columns>);
        else
          throw Error("no kernel was compiled for this tile");
      });
    });
  };
  with_type_of_a(args, [&]<class A>() {
    args.promoted ? by_tile.template operator()<A, true>() : by_tile.template operator()<A, false>();
  });
}

unsigned resident_clusters(const Queue& queue, const MatmulF8::Args& args, const Config& config) {
  static std::map<std::tuple<std::string, bool, unsigned, unsigned, unsigned>, int> known;  // the query is slow
  const auto [found, is_new] =
      known.try_emplace({queue.device.key, args.promoted, config.rows, config.columns, config.cluster_size()}, 0);
  if (is_new)
    with_kernel(args, config, [&]<class Tile>(auto kernel) {  // both types take the same resources
      allow_shared_bytes(reinterpret_cast<const void*>(kernel), Tile::shared_bytes);
      cudaLaunchAttribute attribute[] = {cluster_dimension(config.cluster_size())};
      cudaLaunchConfig_t launch_config{};
      launch_config.gridDim = config.cluster_size();
      launch_config.blockDim = Tile::threads;
      launch_config.dynamicSmemBytes = Tile::shared_bytes;
      launch_config.attrs = attribute;
      launch_config.numAttrs = 1;
      check(cudaOccupancyMaxActiveClusters(&found->second, kernel, &launch_config), "resident clusters");
    });
  return static_cast<unsigned>(found->second);
}

/// Elements from one split's partial sums to the next one's: a multiple of 16 bytes.
std::size_t split_pitch(const MatmulF8::Args& args) { return (args.m * args.n + 3) / 4 * 4; }

std::size_t Config::workspace_bytes(const MatmulF8::Args& args) const {
  return splits > 1 ? splits * split_pitch(args) * sizeof(float) : 0;
}

void gemm(const Queue& queue, const MatmulF8::Args& args, const Config& config) {
  if (finish_if_empty(queue, args)) return;
  const unsigned resident = resident_clusters(queue, args, config);
  if (resident == 0) throw Error("no cluster of such blocks fits on this device");
  const bool rows_fit_tma = args.n % (args.f32_out ? 4 : 8) == 0;
  with_kernel(args, config, [&]<class Tile>(auto kernel) {
    const unsigned k_tiles = blocks_for(args.k, tile_k8);
    const Plan plan{.scheduler = {.raster = {blocks_for(args.m, config.cluster_rows * Tile::rows),
                                             blocks_for(args.n, config.cluster_columns * Tile::columns), config.raster},
                                  .k_tiles = k_tiles,
                                  .splits = config.splits,
                                  .k_tiles_per_split = blocks_for(k_tiles, config.splits)},
                    .cluster_rows = config.cluster_rows,
                    .cluster_columns = config.cluster_columns,
                    .split_pitch = split_pitch(args),
                    .tma_store = rows_fit_tma && config.splits == 1,
                    .pdl = queue.pdl};
    const unsigned blocks = std::min(plan.scheduler.count(), resident) * config.cluster_size();
    const CUtensorMap a = tensor_map(pairs(matrix_a(args)), Tile::rows / config.cluster_columns);
    const CUtensorMap b = tensor_map(pairs(matrix_b(args)), Tile::columns / config.cluster_rows);
    const Output out = unscaled_output(args);
    const CUtensorMap c =
        plan.tma_store ? tensor_map(out.data, out.rows, out.columns, out.columns, 16, out.is_f32) : CUtensorMap{};
    launch_clusters(config.cluster_size(), kernel, blocks, Tile::threads, Tile::shared_bytes, queue, a, b, c, plan,
                    config.splits == 1 ? out : out.partial_sums(queue.workspace.data()), scale_of(args));
  });
  if (config.splits > 1)
    launch_add_partials(queue, split_pitch(args), config.splits, args.m * args.n, scaled_output(args));
}

/// The tuning's columns, of promoted sums at most 128.
void launch_tuned(const Queue& queue, const MatmulF8::Args& args) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(queue.tuning[name]); };
  gemm(pdl_by_tuning(queue), args,
       {.rows = number("rows"),
        .columns = args.promoted ? 128u : number("columns"),
        .cluster_rows = number("cluster_rows"),
        .cluster_columns = number("cluster_columns"),
        .raster = number("raster")});
}

Tuning tuning(int rows, int columns, int cluster_rows, int cluster_columns, int raster, int pdl) {
  return {{{"rows", rows},
           {"columns", columns},
           {"cluster_rows", cluster_rows},
           {"cluster_columns", cluster_columns},
           {"raster", raster},
           {"pdl", pdl}}};
}
#endif

const Register<MatmulF8> variant{{
    .idea = "persistent clusters: TMA multicast, wgmma, each tile stored while the next is multiplied",
    .bound_by = "the matrix units and, at large sizes, power",
    .improves = "wgmma_tma",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(128, 256, 2, 1, 8, 0), tuning(128, 256, 2, 1, 8, 1), tuning(128, 256, 1, 1, 16, 0),
                tuning(128, 256, 1, 2, 16, 0), tuning(128, 128, 2, 1, 8, 0), tuning(128, 128, 1, 2, 16, 1),
                tuning(64, 128, 2, 1, 8, 1), tuning(64, 128, 1, 2, 16, 0)},
    .applies = has_rows_of_16_bytes,
    .launch = launch_tuned,
#endif
}};

}  // namespace matmul_f8_persistent
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
