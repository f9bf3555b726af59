// Persistent, warp-specialized GEMM: resident clusters loop over output tiles. A producer thread loads k-tiles by TMA,
// multicast in the cluster, and runs ahead across tiles; consumer warpgroups multiply (wgmma), and store each tile
// while they multiply the next (deferred epilogue). Requires rows of A and B at multiples of 16 bytes. Bound by the
// matrix units; at large sizes by power.
#include <map>
#include <tuple>

#include "backends/cuda/device/split_k.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f16/cluster_multicast.hpp"
#include "backends/cuda/matmul_f16/dispatch.hpp"
#include "backends/cuda/matmul_f16/wgmma_f16.hpp"
#include "backends/cuda/tensor_gemm/deferred_epilogue.hpp"
#include "backends/cuda/tensor_gemm/tile_scheduler.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_persistent {

#if CROSSWARP_HAS_PTX
/// 64 rows for each consumer warpgroup; one more warpgroup is the producer.
template <unsigned consumers, unsigned tile_columns>
struct BlockTile {
  static constexpr unsigned rows = 64 * consumers, columns = tile_columns;
  static constexpr unsigned threads = (consumers + 1) * warpgroup_size;
  static constexpr unsigned consumer_warps = consumers * warpgroup_size / warp_size();

  static constexpr unsigned staging_bytes = consumer_warps * DeferredEpilogue<false, columns>::staging_bytes;
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
  ClusterShape cluster;
  std::size_t split_pitch;  ///< Elements between splits' partial sums.
  bool tma_store;           ///< Else warps store C, row by row.
  bool pdl;                 ///< Prefetch the first k-tile into L2 before grid_dependency_sync().
};

template <bool bf16, bool b_transposed, unsigned consumers, unsigned columns>
__global__ void __launch_bounds__(BlockTile<consumers, columns>::threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b,
                [[maybe_unused]] const __grid_constant__ CUtensorMap c, [[maybe_unused]] const Plan plan,
                [[maybe_unused]] const Output out) {
#if CROSSWARP_TARGET_HAS_WGMMA
  using Tile = BlockTile<consumers, columns>;
  constexpr unsigned stages = Tile::stages;
  __shared__ Pipeline<stages> pipeline;
  const typename Tile::Ring ring(warp_uniform(shared_address(swizzle_aligned_shared())));
  const TileScheduler& scheduler = plan.scheduler;
  const ClusterPosition position(plan.cluster);
  const unsigned first_work = blockIdx.x / plan.cluster.size(), clusters = gridDim.x / plan.cluster.size();
  if (threadIdx.x == 0) {
    prefetch_tensor_map(a);
    prefetch_tensor_map(b);
    if (plan.tma_store) prefetch_tensor_map(c);
    pipeline.init(position.peers() * Tile::consumer_warps);
  }
  const unsigned group = warp_uniform(threadIdx.x / warpgroup_size), warp = warp_uniform(threadIdx.x / warp_size());
  const bool is_producer = threadIdx.x == consumers * warpgroup_size;
  const MulticastLoader<Tile::rows, columns, b_transposed> loader(a, b, position);
  if (plan.pdl && is_producer && first_work < scheduler.count()) {
    const WorkTile work = scheduler.work_tile(first_work);
    loader.prefetch(position.tile(work.tile), work.first_k_tile);
  }
  cluster_arrive_relaxed();
  cluster_wait();  // every block's barriers are initialised
  grid_dependency_sync();

  PipelineState state;
  if (group == consumers) {  // producer
    if constexpr (consumers > 1) setmaxnreg_dec<Tile::producer_registers>();
    if (is_producer) {
      // Alternate the direction along k: consecutive tiles share rows of A, and L2 still holds the part read last.
      // Saves a tenth of the reads from memory at 4096 and 8192 (H200).
      bool is_backwards = false;
      for (unsigned i = first_work; i < scheduler.count(); i += clusters, is_backwards = !is_backwards) {
        const WorkTile work = scheduler.work_tile(i);
        for (unsigned step = 0; step < work.k_tiles; ++step, state.advance(stages)) {
          const unsigned k_tile = work.first_k_tile + (is_backwards ? work.k_tiles - 1 - step : step);
          Mbarrier* const full = pipeline.producer_acquire(state, Tile::Ring::stage_bytes);
          loader.load(position.tile(work.tile), k_tile, ring.a(state.index), ring.b(state.index), full);
        }
      }
      pipeline.producer_tail(state);
    }
  } else {  // consumers
    if constexpr (consumers > 1) setmaxnreg_inc<Tile::consumer_registers>();
    const MulticastRelease release(pipeline, position);
    using Epilogue = DeferredEpilogue<bf16, columns>;
    Epilogue epilogue(c, out, plan.tma_store, ring.first_a + Tile::Ring::bytes + warp * Epilogue::staging_bytes);
    float accumulators[columns / 2];
    for (unsigned i = first_work; i < scheduler.count(); i += clusters) {
      const WorkTile work = scheduler.work_tile(i);
      unsigned previous = 0;  // stage
      for (unsigned step = 0; step < work.k_tiles; ++step, state.advance(stages)) {
        pipeline.consumer_wait(state);
        wgmma_k_tile<bf16, b_transposed>(accumulators, ring.a(state.index) + group * 64 * row_bytes,
                                         ring.b(state.index), step > 0);
        wgmma_wait_group<1>();  // the previous k-tile's instructions have read their stage
        if (step > 0) release(previous);
        previous = state.index;
        epilogue.store_panel(step);
      }
      epilogue.store_rest(work.k_tiles);
      wgmma_wait_group<0>();
      wgmma_fence_operands(accumulators);
      release(previous);
      const TileCoord tile = position.tile(work.tile);
      const unsigned row = tile.row * Tile::rows + 16 * warp, column = tile.column * columns;
      if (scheduler.splits == 1)
        epilogue.take(row, column, accumulators);
      else
        out.offset(work.split * plan.split_pitch).template store_fragment<bf16>(row, column, accumulators);
    }
    // The ring is free: nothing is loaded any more, and only this warp reads its rows of A. One panel for each stage.
    static_assert(Epilogue::panels <= stages);
    epilogue.drain(ring.first_a + warp * Epilogue::panel_bytes, Tile::Ring::a_bytes);
  }
#endif
}

/// Calls `use` for the configuration's tile: `[&]<unsigned consumers, unsigned columns>()`.
template <class Use>
void with_tile(const Config& config, Use&& use) {
  with_constant<64, 128>(config.rows, [&]<unsigned rows>() {
    with_constant<64, 128, 192, 256>(config.columns, [&]<unsigned columns>() {
      if constexpr (rows == 128 ? columns >= 128 : columns <= 128) use.template operator()<rows / 64, columns>();
    });
  });
}

unsigned resident_clusters(const Queue& queue, const Config& config) {
  static std::map<std::tuple<std::string, unsigned, unsigned, unsigned>, int> known;  // the query is slow
  const auto [found, is_new] =
      known.try_emplace({queue.device.key, config.rows, config.columns, config.cluster.size()}, 0);
  if (is_new)
    with_tile(config, [&]<unsigned consumers, unsigned columns>() {
      using Tile = BlockTile<consumers, columns>;
      const auto kernel = gemm_kernel<false, false, consumers, columns>;  // all types take the same resources
      allow_shared_bytes(reinterpret_cast<const void*>(kernel), Tile::shared_bytes);
      cudaLaunchAttribute attribute[] = {cluster_dimension(config.cluster.size())};
      cudaLaunchConfig_t launch_config{};
      launch_config.gridDim = config.cluster.size();
      launch_config.blockDim = Tile::threads;
      launch_config.dynamicSmemBytes = Tile::shared_bytes;
      launch_config.attrs = attribute;
      launch_config.numAttrs = 1;
      check(cudaOccupancyMaxActiveClusters(&found->second, kernel, &launch_config), "resident clusters");
    });
  return static_cast<unsigned>(found->second);
}

/// Elements from one split's partial sums to the next one's: a multiple of 16 bytes.
std::size_t split_pitch(const MatmulF16::Args& args) { return (args.m * args.n + 3) / 4 * 4; }

std::size_t Config::workspace_bytes(const MatmulF16::Args& args) const {
  return splits > 1 ? splits * split_pitch(args) * sizeof(float) : 0;
}

void gemm(const Queue& queue, const MatmulF16::Args& args, const Operands& operands, const Config& config) {
  if (finish_if_empty(queue, args)) return;
  const unsigned resident = resident_clusters(queue, config);
  if (resident == 0) throw Error("no cluster of such blocks fits on this device");
  const bool rows_fit_tma = args.n % (args.f32_out ? 4 : 8) == 0;
  with_tile(config, [&]<unsigned consumers, unsigned columns>() {
    using Tile = BlockTile<consumers, columns>;
    const unsigned k_tiles = blocks_for(args.k, tile_k);
    const Plan plan{.scheduler = {.raster = {blocks_for(args.m, config.cluster.rows * Tile::rows),
                                             blocks_for(args.n, config.cluster.columns * columns), config.raster},
                                  .k_tiles = k_tiles,
                                  .splits = config.splits,
                                  .k_tiles_per_split = blocks_for(k_tiles, config.splits)},
                    .cluster = config.cluster,
                    .split_pitch = split_pitch(args),
                    .tma_store = rows_fit_tma && config.splits == 1,
                    .pdl = queue.pdl};
    const unsigned blocks = std::min(plan.scheduler.count(), resident) * config.cluster.size();
    const CUtensorMap a = tensor_map(operands.a, Tile::rows / config.cluster.columns);
    const CUtensorMap b = tensor_map(operands.b, (args.b_transposed ? columns : tile_k) / config.cluster.rows);
    const Output out(args);
    const CUtensorMap c =
        plan.tma_store ? tensor_map(out.data, out.rows, out.columns, out.columns, 16, out.is_f32) : CUtensorMap{};
    with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
      const auto kernel = gemm_kernel<bf16, b_transposed, consumers, columns>;
      launch_clusters(config.cluster.size(), kernel, blocks, Tile::threads, Tile::shared_bytes, queue, a, b, c, plan,
                      config.splits == 1 ? out : out.partial_sums(queue.workspace.data()));
    });
    if (config.splits > 1) launch_add_partials(queue, plan.split_pitch, config.splits, args.m * args.n, out);
  });
}

void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(queue.tuning[name]); };
  gemm(pdl_by_tuning(queue), args, operands(args),
       {.rows = number("rows"),
        .columns = number("columns"),
        .cluster = {number("cluster_rows"), number("cluster_columns")},
        .raster = number("raster")});
}

Tuning tuning(int rows, int columns, ClusterShape cluster, int raster, int pdl) {
  return {{{"rows", rows},
           {"columns", columns},
           {"cluster_rows", static_cast<int>(cluster.rows)},
           {"cluster_columns", static_cast<int>(cluster.columns)},
           {"raster", raster},
           {"pdl", pdl}}};
}
#endif

const Register<MatmulF16> variant{{
    .idea = "persistent clusters: TMA multicast, wgmma, each tile stored while the next is multiplied",
    .bound_by = "the matrix units and, at large sizes, power",
    .improves = "wgmma_tma",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(128, 256, {2, 1}, 8, 0), tuning(128, 256, {2, 1}, 8, 1), tuning(128, 256, {1, 1}, 16, 0),
                tuning(128, 256, {1, 2}, 16, 1), tuning(128, 256, {2, 2}, 8, 0), tuning(128, 256, {2, 1}, 4, 0),
                tuning(128, 256, {2, 1}, 16, 0), tuning(128, 192, {2, 1}, 8, 0), tuning(128, 128, {2, 1}, 8, 0),
                tuning(128, 128, {2, 2}, 8, 0), tuning(64, 128, {2, 1}, 8, 1), tuning(64, 128, {1, 2}, 16, 1),
                tuning(64, 64, {2, 1}, 8, 0), tuning(64, 64, {4, 1}, 4, 0), tuning(64, 64, {4, 2}, 4, 1)},
    .applies = has_aligned_rows,
    .launch = launch_tuned,
    .instructions = {{"HGMMA.64x256x16.F32", 4}, {"UTMALDG.2D.MULTICAST", 1}, {"UTMASTG.2D", 4}},
#endif
}};

}  // namespace matmul_f16_persistent
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
