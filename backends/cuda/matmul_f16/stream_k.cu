// Stream-K (Osama et al., Stream-K: work-centric parallel decomposition for dense matrix-matrix multiplication on the
// GPU, PPoPP 2023) of the persistent GEMM: the k-tiles of the first tiles of C are cut into an equal share for each
// resident cluster, wherever tiles begin and end; further rounds are of whole tiles. A cluster goes through its share
// backwards: what it has of a tile that the next cluster ends, it has stored long before that one adds it. Requires
// rows of A and B at multiples of 16 bytes. Bound by the matrix units; where C has few tiles by memory and L2.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f16/stream_k.hpp"
#include "backends/cuda/matmul_f16/wgmma_f16.hpp"
#include "backends/cuda/matmul_f32/k_shares.hpp"
#include "backends/cuda/tensor_gemm/persistent_gemm.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_stream_k {

#if CROSSWARP_HAS_PTX
/// K-tiles of a share, at the least: fewer take less time than a partial sum.
constexpr unsigned least_k_tiles = 4;

/// Some k-tiles of a cluster tile of C.
struct KTiles {
  unsigned tile, first, count;
};

/// All work of a launch, in units of clusters.
struct Plan {
  KShares shares;  ///< Of the first tiles of the raster; others are taken whole.
  Raster raster;
  ClusterShape cluster;
  bool tma_store;  ///< Else warps store C, row by row.
  bool pdl;        ///< Prefetch the first k-tile into L2 before grid_dependency_sync().

  /// Rounds of whole tiles leave one to two tiles for each cluster's share, or all where there are fewer.
  Plan(const Raster& raster_, unsigned k_tiles, unsigned resident, const ClusterShape& cluster_)
      : shares(raster_.count() - (std::max(1u, raster_.count() / resident) - 1) * resident, k_tiles, least_k_tiles,
               resident),
        raster(raster_),
        cluster(cluster_) {}
};

/// A cluster's work in its order: its share from the end to the beginning, then whole tiles.
struct Walk {
  const Plan& plan;
  unsigned begin, end, whole;

  __device__ Walk(const Plan& plan, unsigned cluster)
      : plan(plan),
        begin(plan.shares.first_of(cluster)),
        end(plan.shares.first_of(cluster + 1)),
        whole(plan.shares.tiles + cluster) {}

  /// Sets `next`. False at the end.
  __device__ bool advance(KTiles& next) {
    const unsigned k_tiles = plan.shares.k_tiles;
    if (begin < end) {
      const unsigned tile = (end - 1) / k_tiles, first = std::max(begin, tile * k_tiles);
      next = {tile, first - tile * k_tiles, end - first};
      end = first;
    } else if (whole < plan.raster.count()) {
      next = {whole, 0, k_tiles};
      whole += plan.shares.blocks;
    } else {
      return false;
    }
    return true;
  }
};

__device__ inline void store_release(unsigned* to, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ inline unsigned load_acquire(const unsigned* from) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

/// Partial sums of tiles that another cluster ends, in the workspace: a slot for each block, since a cluster has one
/// such tile at most. Warps signal to the same warp of the other block, and wait for clusters of a lower number only,
/// which have begun before: no deadlock, even if not all are resident.
template <class Tile>
struct Partials {
  static constexpr unsigned warps = Tile::consumer_warps;
  static constexpr unsigned vectors = Tile::columns / 8;  // of 16 bytes, per thread

  unsigned* ready;  ///< One for each warp of each slot; 0 before and after every launch.
  float4* sums;

  static std::size_t ready_bytes(unsigned blocks) {
    return (std::size_t{blocks} * warps * sizeof(unsigned) + 127) / 128 * 128;
  }
  static std::size_t bytes(unsigned blocks) {
    return ready_bytes(blocks) + std::size_t{blocks} * warps * vectors * warp_size() * sizeof(float4);
  }
  /// `workspace` is aligned to 128 bytes, and was zeroed once.
  Partials(std::span<std::byte> workspace, unsigned blocks)
      : ready(reinterpret_cast<unsigned*>(workspace.data())),
        sums(reinterpret_cast<float4*>(workspace.data() + ready_bytes(blocks))) {}

  /// Where the calling thread's vectors of a slot begin, one for each warp of lanes.
  __device__ float4* at(unsigned slot, unsigned warp) const {
    return sums + (std::size_t{slot} * warps + warp) * (vectors * warp_size()) + threadIdx.x % warp_size();
  }
  /// Stores the vectors that hold columns of C, of which `left` are left.
  __device__ void store(unsigned warp, unsigned left, const float (&of)[Tile::columns / 2]) const {
    float4* const to = at(blockIdx.x, warp);
#pragma unroll
    for (unsigned v = 0; v < vectors; ++v)
      if (8 * v < left) to[v * warp_size()] = make_float4(of[4 * v], of[4 * v + 1], of[4 * v + 2], of[4 * v + 3]);
    sync_warp();
    if (threadIdx.x % warp_size() == 0) store_release(ready + blockIdx.x * warps + warp, 1);
  }
  /// Waits for a slot, and adds it. `batch` loads are in flight: without predicates, which would serialise them.
  __device__ void add(unsigned slot, unsigned warp, unsigned left, float (&to)[Tile::columns / 2]) const {
    constexpr unsigned batch = 8;
    unsigned* const is_ready = ready + slot * warps + warp;
    while (load_acquire(is_ready) == 0) {
    }
    const float4* const from = at(slot, warp);
#pragma unroll
    for (unsigned first = 0; first < vectors; first += batch) {
      if (8 * first >= left) break;
      float4 loaded[batch];
#pragma unroll
      for (unsigned v = 0; v < batch; ++v) loaded[v] = load_coherent(from + (first + v) * warp_size());
#pragma unroll
      for (unsigned v = 0; v < batch; ++v) {
        float* const sum = to + 4 * (first + v);
        sum[0] += loaded[v].x, sum[1] += loaded[v].y, sum[2] += loaded[v].z, sum[3] += loaded[v].w;
      }
    }
    sync_warp();
    if (threadIdx.x % warp_size() == 0) *is_ready = 0;
  }
};

template <bool bf16, bool b_transposed, class Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b,
                [[maybe_unused]] const __grid_constant__ CUtensorMap c,
                [[maybe_unused]] const __grid_constant__ Plan plan, [[maybe_unused]] const Partials<Tile> partials,
                [[maybe_unused]] const Output out) {
#if CROSSWARP_TARGET_HAS_WGMMA
  using Product = WgmmaF16<bf16, b_transposed>;
  constexpr unsigned columns = Tile::columns, stages = Tile::stages;
  __shared__ Pipeline<stages> pipeline;
  const typename Tile::Ring ring(warp_uniform(shared_address(swizzle_aligned_shared())));
  const ClusterPosition position(plan.cluster);
  const unsigned cluster = blockIdx.x / plan.cluster.size();
  if (threadIdx.x == 0) {
    prefetch_tensor_map(a);
    prefetch_tensor_map(b);
    if (plan.tma_store) prefetch_tensor_map(c);
    pipeline.init(position.peers() * Tile::consumer_warps);
  }
  const unsigned group = warp_uniform(threadIdx.x / warpgroup_size), warp = warp_uniform(threadIdx.x / warp_size());
  const bool is_producer = threadIdx.x == Tile::consumers * warpgroup_size;
  const MulticastLoader<Tile::rows, columns, b_transposed> loader(a, b, position);
  Walk walk(plan, cluster);
  KTiles work;
  if (plan.pdl && is_producer) {
    Walk(plan, cluster).advance(work);
    loader.prefetch(position.tile(plan.raster.tile(work.tile)), work.first);
  }
  cluster_arrive_relaxed();
  cluster_wait();  // every block's barriers are initialised
  grid_dependency_sync();

  PipelineState state;
  if (group == Tile::consumers) {  // producer
    if constexpr (Tile::consumers > 1) setmaxnreg_dec<Tile::producer_registers>();
    if (is_producer) {
      while (walk.advance(work)) {
        const TileCoord tile = position.tile(plan.raster.tile(work.tile));
        for (unsigned step = 0; step < work.count; ++step, state.advance(stages)) {
          Mbarrier* const full = pipeline.producer_acquire(state, Tile::Ring::stage_bytes);
          loader.load(tile, work.first + step, ring.a(state.index), ring.b(state.index), full);
        }
      }
      pipeline.producer_tail(state);
    }
  } else {  // consumers
    if constexpr (Tile::consumers > 1) setmaxnreg_inc<Tile::consumer_registers>();
    const MulticastRelease release(pipeline, position);
    using Epilogue = DeferredEpilogue<bf16, columns, false>;
    Epilogue epilogue(c, out, plan.tma_store, ring.first_a + Tile::Ring::bytes + warp * Epilogue::staging_bytes);
    TileSums<Product, false, columns> sums;
    const auto sum = scaled(sums.sums(), Unscaled());
    while (walk.advance(work)) {
      const auto wait = [&] {
        pipeline.consumer_wait(state);
        const StagedTile tile{state.index, ring.a(state.index) + group * 64 * row_bytes, ring.b(state.index)};
        state.advance(stages);
        return tile;
      };
      sums.add(work.count, wait, release, [&](unsigned step) {
        epilogue.store_panel(step, sum);
        if (step + 1 == work.count) epilogue.store_rest(work.count, sum);
      });
      const TileCoord tile = position.tile(plan.raster.tile(work.tile));
      const unsigned row = tile.row * Tile::rows + 16 * warp, column = tile.column * columns;
      const unsigned left = row < out.rows && column < out.columns ? out.columns - column : 0;
      if (work.first + work.count < plan.shares.k_tiles) {  // the first work of a share alone: nothing is deferred
        if (left > 0) partials.store(warp, left, sums.sums());
        continue;
      }
      if (work.first > 0 && left > 0)
        for (unsigned other = plan.shares.sharers(work.tile).first; other < cluster; ++other)
          partials.add(other * plan.cluster.size() + cluster_rank(), warp, left, sums.sums());
      epilogue.take(row, column, sum);
    }
    // The ring is free: nothing is loaded any more, and only this warp reads its rows of A. One panel for each stage.
    static_assert(Epilogue::panels <= stages);
    epilogue.drain(ring.first_a + warp * Epilogue::panel_bytes, Tile::Ring::a_bytes, sum);
  }
#endif
}

/// Calls `use` for the configuration's tile: `[&]<class Tile>()`.
template <class Use>
void with_tile(const PersistentConfig& config, Use&& use) {
  with_constant<64, 128>(config.rows, [&]<unsigned rows>() {
    with_constant<64, 128, 192, 256>(config.columns, [&]<unsigned columns>() {
      if constexpr (rows == 128 ? columns >= 128 : columns <= 128)
        use.template operator()<PersistentTile<rows / 64, columns>>();
    });
  });
}

template <class Tile>
unsigned resident_clusters(const Queue& queue, const ClusterShape& cluster) {
  return count_resident_clusters<Tile>(queue, gemm_kernel<false, false, Tile>, cluster);  // as all types
}

template <class Tile>
Plan plan_of(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config) {
  const unsigned resident = resident_clusters<Tile>(queue, config.cluster);
  if (resident == 0) throw Error("no cluster of such blocks fits on this device");
  Plan plan({blocks_for(args.m, config.cluster.rows * Tile::rows),
             blocks_for(args.n, config.cluster.columns * Tile::columns), config.raster},
            blocks_for(args.k, tile_k), resident, config.cluster);
  plan.tma_store = args.n % (args.f32_out ? 4 : 8) == 0;
  plan.pdl = queue.pdl;
  return plan;
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config) {
  std::size_t bytes = 0;
  if (args.m > 0 && args.n > 0 && args.k > 0)
    with_tile(config, [&]<class Tile>() {
      bytes = Partials<Tile>::bytes(plan_of<Tile>(queue, args, config).shares.blocks * config.cluster.size());
    });
  return bytes;
}

void gemm(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config) {
  if (finish_if_empty(queue, args)) return;
  const Operand a = operand_a(args), b = operand_b(args);
  with_tile(config, [&]<class Tile>() {
    const Plan plan = plan_of<Tile>(queue, args, config);
    const unsigned blocks = plan.shares.blocks * config.cluster.size();
    const CUtensorMap map_a = tensor_map(a, Tile::rows / config.cluster.columns);
    const CUtensorMap map_b = tensor_map(b, (args.b_transposed ? Tile::columns : tile_k) / config.cluster.rows);
    const CUtensorMap map_c = plan.tma_store
                                  ? tensor_map(args.c.data(), a.rows, extent(args.n), extent(args.n), 16, args.f32_out)
                                  : CUtensorMap{};
    with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
      auto* const kernel = gemm_kernel<bf16, b_transposed, Tile>;
      count_resident_clusters<Tile>(queue, kernel, config.cluster);  // allows its shared memory
      launch_clusters(config.cluster.size(), kernel, blocks, Tile::threads, Tile::shared_bytes, queue, map_a, map_b,
                      map_c, plan, Partials<Tile>(queue.workspace, blocks), Output(args));
    });
  });
}

/// Expected cycles: those of a k-tile as in expected_cycles(), and a share's partial sums, which L2 takes and gives.
template <class Tile>
double cycles_of(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config) {
  constexpr double share_cycles = 1500;  // of a signal between blocks, and of a second tile's beginning
  const Plan plan = plan_of<Tile>(queue, args, config);
  const Operand a = operand_a(args), b = operand_b(args);
  const Rates rates(queue.device);
  const double elements = 1.0 * Tile::rows * Tile::columns;
  const double multiplied = 2.0 * tile_k * elements / queue.device.peak_per_cycle("tensor_f16", 4096);
  const double shared = row_bytes * (2.0 * Tile::rows + (1 + Tile::consumers) * Tile::columns) / rates.shared_bytes;
  const double loaded = row_bytes *
                        (lines_per_row(a) * Tile::rows / config.cluster.columns +
                         lines_per_row(b) * Tile::columns / config.cluster.rows) /
                        rates.tma_bytes;
  const double k_tile = std::max({multiplied, shared, loaded}) + k_tile_cycles;
  const double k_tiles = plan.shares.k_tiles, share = plan.shares.tiles * k_tiles / plan.shares.blocks;
  const double rounds = (plan.raster.count() - plan.shares.tiles) / plan.shares.blocks;
  const double rows = std::min<double>(Tile::rows, a.rows), columns = std::min<double>(Tile::columns, args.n);
  const double partial = sizeof(float) * rows * columns / rates.l2_bytes;
  const bool shares_tiles = plan.shares.blocks != plan.shares.tiles;
  const double others = std::max(1.0, k_tiles / share);  // whose sums a tile's last cluster adds
  const double sums = shares_tiles ? share_cycles + (1 + others) * partial : 0;
  const double tiles = 12.0 * Tile::columns + tile_cycles;
  const double work = rounds * (k_tiles * k_tile + tiles) + std::ceil(share) * k_tile + tiles + sums;
  const double m = static_cast<double>(args.m), n = static_cast<double>(args.n), k = static_cast<double>(args.k);
  const double moved = (2 * k * (m + n) + (args.f32_out ? 4 : 2) * m * n) /
                       (rates.memory_bytes * std::max(1, queue.device.compute_units));
  return base_cycles + std::max(work, moved) + std::min(work, moved) / 2;
}

Choice cheapest(const Queue& queue, const MatmulF16::Args& args) {
  constexpr BlockShape tiles[] = {{128, 256}, {128, 192}, {128, 128}, {64, 128}, {64, 64}};
  Choice best{{}, std::numeric_limits<double>::infinity()};
  for (const auto& [rows, columns] : tiles)
    for (const ClusterShape cluster : clusters_for(columns)) {
      // C has a tile for every block of a cluster.
      if (cluster.rows > blocks_for(args.m, rows) || cluster.columns > blocks_for(args.n, columns)) continue;
      const PersistentConfig config{.rows = rows, .columns = columns, .cluster = cluster, .raster = 16 / cluster.rows};
      with_tile(config, [&]<class Tile>() {
        if (resident_clusters<Tile>(queue, cluster) == 0) return;
        const Plan plan = plan_of<Tile>(queue, args, config);
        if (plan.shares.blocks == plan.shares.tiles) return;  // `persistent` takes whole tiles, too
        if (const double cycles = cycles_of<Tile>(queue, args, config); cycles < best.cycles) best = {config, cycles};
      });
    }
  return best;
}

std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) {
  return workspace_bytes(queue, args, tuned_config(queue));
}
void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, tuned_config(queue));
}
#endif

const Register<MatmulF16> variant{{
    .idea = "equal shares of all k-tiles for persistent clusters; a tile's last cluster adds the sums of the others",
    .bound_by = "the matrix units; few tiles by memory and L2",
    .improves = "persistent",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {persistent_tuning(128, 128, {1, 2}, 16, 1), persistent_tuning(128, 128, {1, 1}, 16, 1),
                persistent_tuning(128, 128, {2, 1}, 8, 1), persistent_tuning(128, 192, {1, 2}, 16, 1),
                persistent_tuning(128, 192, {2, 1}, 8, 1), persistent_tuning(128, 256, {2, 1}, 8, 1),
                persistent_tuning(64, 128, {1, 2}, 16, 1), persistent_tuning(64, 128, {1, 1}, 16, 1),
                persistent_tuning(64, 64, {1, 1}, 16, 1), persistent_tuning(64, 64, {2, 1}, 8, 1)},
    .applies = has_aligned_rows,
    .workspace = workspace,
    .launch = launch_tuned,
    .instructions = {{"HGMMA.64x128x16.F32", 4}, {"UTMALDG.2D.MULTICAST", 1}, {"UTMASTG.2D", 4}},
#endif
}};

}  // namespace matmul_f16_stream_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
