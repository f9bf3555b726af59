// Dispatch by shape, the library-style entry point: the tile, split-K or stream-K that a cost model of the device
// expects to be fastest; a row vector times a matrix by its own kernel. Bound by the issue of multiply-adds; by memory
// bandwidth for a row vector and for small k.
#include <cmath>
#include <limits>

#include "backends/cuda/matmul_f32/gemv.hpp"
#include "backends/cuda/matmul_f32/sliced_k.hpp"
#include "backends/cuda/matmul_f32/split_k.hpp"
#include "backends/cuda/matmul_f32/stream_k.hpp"

namespace crosswarp::gpu {
namespace {

/// A kernel by its tile, and how fast it is expected to be.
struct TileModel {
  unsigned m, n, k, min_blocks, threads;
  double efficiency;        ///< Share of peak multiply-adds with min_blocks resident on a multiprocessor …
  double efficiency_alone;  ///< … and with one.
  double unaligned;         ///< Factor on these where rows do not start on 16-byte boundaries.
  void (*launch)(const Queue&, const MatmulF32::Args&, std::size_t splits);
  double stream_k_efficiency = 0;  ///< 0: there is no stream-K kernel of this tile.
  void (*launch_stream_k)(const Queue&, const MatmulF32::Args&) = nullptr;
  std::size_t (*stream_k_workspace)(const Queue&, const MatmulF32::Args&) = nullptr;
};

template <class Tile>
constexpr TileModel prefetch_model(double efficiency, double efficiency_alone, double unaligned) {
  return {Tile::m,          Tile::n,       Tile::k,
          Tile::min_blocks, Tile::threads, efficiency,
          efficiency_alone, unaligned,     matmul_f32_split_k::gemm<Tile>};
}
template <class Tile>
constexpr TileModel stream_k_model(double efficiency, double efficiency_alone, double unaligned,
                                   double stream_k_efficiency) {
  TileModel model = prefetch_model<Tile>(efficiency, efficiency_alone, unaligned);
  model.stream_k_efficiency = stream_k_efficiency;
  model.launch_stream_k = matmul_f32_stream_k::gemm<Tile>;
  model.stream_k_workspace = matmul_f32_stream_k::workspace_bytes<Tile>;
  return model;
}
template <class Tile>
constexpr TileModel sliced_model(double efficiency, double efficiency_alone, double unaligned) {
  return {Tile::m,    Tile::n,          Tile::k,   Tile::min_blocks,     Tile::threads,
          efficiency, efficiency_alone, unaligned, launch_sliced_k<Tile>};
}

/// Tunings tile1 … tile6. Efficiencies as measured on an H200.
constexpr TileModel models[]{
    prefetch_model<LargeTile>(0.785, 0.38, 0.83), prefetch_model<MediumTile>(0.745, 0.25, 1.03),
    prefetch_model<FlatTile>(0.755, 0.25, 0.99),  stream_k_model<WideTile>(0.755, 0.755, 0.62, 0.755),
    sliced_model<SmallTile>(0.51, 0.38, 0.72),    sliced_model<SmallestTile>(0.46, 0.33, 0.68)};

/// Expected cycles of a multiprocessor. The peak rates are the device's; latencies and L2's share while all
/// multiprocessors read are as measured on an H200.
struct CostModel {
  static constexpr double second_pass = 5000, fixup = 8000;

  const TileModel& tile;
  double l2_bytes_per_cycle_alone, l2_bytes_per_cycle;  ///< While few multiprocessors read, and while all do.
  double units, tiles, k_tiles;
  double k_tile_cycles;   ///< At peak.
  double block_overhead;  ///< Of a block's prologue and epilogue, which other resident blocks hide in part.
  double alignment;       ///< Factor on efficiencies.

  CostModel(const TileModel& tile_, const MatmulF32::Args& args, const DeviceInfo& device)
      : tile(tile_),
        l2_bytes_per_cycle_alone(device.peak_per_cycle("l2", 64)),
        l2_bytes_per_cycle(0.375 * l2_bytes_per_cycle_alone),
        units(device.compute_units),
        tiles(std::ceil(static_cast<double>(args.n) / tile.n) * std::ceil(static_cast<double>(args.m) / tile.m)),
        k_tiles(std::ceil(static_cast<double>(args.k) / tile.k)),
        k_tile_cycles(2.0 * tile.m * tile.n * tile.k / device.peak_per_cycle("f32", 256)),
        block_overhead(4e6 / (tile.min_blocks * tile.threads)),
        alignment(rows_are_aligned(args) ? 1 : tile.unaligned) {}

  /// The multiprocessor with the most blocks decides. Several splits take a second pass, with their partial sums
  /// written to L2 and read back.
  double split_k(std::size_t splits, std::size_t partial_bytes) const {
    const double blocks = std::ceil(tiles * static_cast<double>(splits) / units);
    const double full_waves = std::floor(blocks / tile.min_blocks), left = blocks - full_waves * tile.min_blocks;
    const double work = std::ceil(k_tiles / static_cast<double>(splits)) * k_tile_cycles;
    const double full = alignment * tile.efficiency, alone = alignment * tile.efficiency_alone;
    const double partial = tile.min_blocks > 1 ? alone + (full - alone) * (left - 1) / (tile.min_blocks - 1) : full;
    double cycles = full_waves * (tile.min_blocks * work / full + block_overhead);
    if (left > 0) cycles += left * work / partial + block_overhead;
    if (splits > 1) cycles += second_pass + 2 * static_cast<double>(partial_bytes) / (units * l2_bytes_per_cycle);
    return cycles;
  }

  /// All multiprocessors have equal shares. Each share's partial sums go to L2; one block reads all of a tile's.
  double stream_k() const {
    const double blocks = std::min(units * tile.min_blocks, tiles * k_tiles), waves = tiles / blocks;
    const double tile_bytes = sizeof(float) * tile.m * tile.n, shares_per_tile = 1 + std::ceil(1 / waves);
    return waves * k_tiles * tile.min_blocks * k_tile_cycles / (alignment * tile.stream_k_efficiency) +
           std::max(1.0, waves) * block_overhead + fixup + tile.min_blocks * tile_bytes / l2_bytes_per_cycle +
           shares_per_tile * tile_bytes / l2_bytes_per_cycle_alone;
  }
};

struct Plan {
  const TileModel* tile;
  std::size_t splits;  ///< 0: stream-K.
};

Plan plan(const Queue& queue, const MatmulF32::Args& args) {
  const auto forced_tile = static_cast<std::size_t>(queue.tuning["tile"]);
  const auto units = static_cast<std::size_t>(queue.device.compute_units);
  // They stay in L2, which is that of an H200 where its size is not known.
  const std::size_t max_partial_bytes = (queue.device.cache > 0 ? queue.device.cache : std::size_t{60} << 20) / 2;
  Plan best{models, 1};
  double fewest = std::numeric_limits<double>::infinity();
  const auto consider = [&](const TileModel& tile, std::size_t splits, double cycles) {
    if (cycles < fewest) fewest = cycles, best = {&tile, splits};
  };
  for (const TileModel& tile : models) {
    if (forced_tile > 0 && &tile != &models[forced_tile - 1]) continue;
    const CostModel cost(tile, args, queue.device);
    if (tile.launch_stream_k) consider(tile, 0, cost.stream_k());
    // Splits that give each multiprocessor 0, 1, 2 … blocks, of at least four k-tiles each.
    for (std::size_t blocks_per_unit = 0; blocks_per_unit <= 2 * tile.min_blocks; ++blocks_per_unit) {
      const std::size_t splits =
          std::max<std::size_t>(1, blocks_per_unit * units / static_cast<std::size_t>(cost.tiles));
      const std::size_t partial_bytes = split_k_workspace(args, splits);
      if (splits > 1 && (splits * 4 * tile.k > args.k || partial_bytes > max_partial_bytes)) break;
      consider(tile, splits, cost.split_k(splits, partial_bytes));
    }
  }
  return best;
}

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return 0;
  if (is_gemv(args)) return gemv_workspace(args);
  const auto [tile, splits] = plan(queue, args);
  return splits == 0 ? tile->stream_k_workspace(queue, args) : split_k_workspace(args, splits);
}

void gemm(const Queue& given, const MatmulF32::Args& args) {
  const Queue queue = pdl_by_tuning(given);
  if (args.c.empty()) return;
  if (is_gemv(args)) return launch_gemv(queue, args);
  const auto [tile, splits] = plan(queue, args);
  splits == 0 ? tile->launch_stream_k(queue, args) : tile->launch(queue, args, splits);
}

/// tile 0: the cost model chooses; splits are always its choice. pdl: programmatic dependent launch.
Tuning tuning(int tile, int pdl = 1) { return {{{"tile", tile}, {"pdl", pdl}}}; }

const Register<MatmulF32> variant{{
    .idea = "dispatch by shape: a cost model chooses tile, split-K or stream-K; a row vector has its own kernel",
    .bound_by = "issue of multiply-adds; memory bandwidth for a row vector",
    .improves = "stream_k",
    .gaps = {{GapClass::no_api,
              "HIP has no asynchronous copy to shared memory: a load and a store in place of cp.async"}},
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(3), tuning(4), tuning(5), tuning(6)},
    .tuned_by_table = true,
    .workspace = workspace,
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::gpu
