// Dispatch by shape, the library-style entry point: the tile, split-K or stream-K that a cost model of the device
// expects to be fastest; kernels of their own for short sums, few rows and few columns, where they are expected to take
// less; and for a row vector times a matrix. Bound by the issue of multiply-adds; by memory bandwidth for few rows or
// columns and for small k.
#include <cmath>
#include <limits>

#include "backends/cuda/matmul_f32/dispatch.hpp"
#include "backends/cuda/matmul_f32/gemv.hpp"
#include "backends/cuda/matmul_f32/sliced_k.hpp"
#include "backends/cuda/matmul_f32/split_k.hpp"

namespace crosswarp::gpu {
namespace {

/// How fast a tile's kernel is expected to be, as fitted to an H100.
struct Speed {
  double efficiency;        ///< Share of peak multiply-adds with min_blocks resident on a multiprocessor …
  double efficiency_alone;  ///< … and with one.
  double wave_cycles;       ///< Of prologue and epilogue.
};

/// A kernel by its tile.
struct TileModel {
  unsigned m, n, k, min_blocks;
  Speed aligned, unaligned;  ///< Unaligned: rows of B and C do not start on 16-byte boundaries.
  void (*launch)(const Queue&, const MatmulF32::Args&, std::size_t splits);
  void (*launch_stream_k)(const Queue&, const MatmulF32::Args&) = nullptr;
  std::size_t (*stream_k_workspace)(const Queue&, const MatmulF32::Args&) = nullptr;
};

template <class Tile>
constexpr TileModel model(Speed aligned, Speed unaligned,
                          void (*launch)(const Queue&, const MatmulF32::Args&, std::size_t)) {
  return {Tile::m, Tile::n, Tile::k, Tile::min_blocks, aligned, unaligned, launch};
}
template <class Tile>
constexpr TileModel prefetch_model(Speed aligned, Speed unaligned) {
  return model<Tile>(aligned, unaligned, matmul_f32_split_k::gemm<Tile>);
}
template <class Tile>
constexpr TileModel stream_k_model(Speed aligned, Speed unaligned) {
  TileModel result = prefetch_model<Tile>(aligned, unaligned);
  result.launch_stream_k = matmul_f32_stream_k::gemm<Tile>;
  result.stream_k_workspace = matmul_f32_stream_k::workspace_bytes<Tile>;
  return result;
}
template <class Tile>
constexpr TileModel sliced_model(Speed aligned, Speed unaligned) {
  return model<Tile>(aligned, unaligned, launch_sliced_k<Tile>);
}

/// Tunings tile1 … tile8.
constexpr TileModel models[]{prefetch_model<LargeTile>({0.843, 0.405, 12900}, {0.692, 0.295, 6100}),
                             prefetch_model<MediumTile>({0.787, 0.365, 3400}, {0.715, 0.416, 6600}),
                             prefetch_model<FlatTile>({0.817, 0.386, 3300}, {0.701, 0.319, 4900}),
                             stream_k_model<WideTile>({0.793, 0.747, 9000}, {0.604, 0.58, 9600}),
                             sliced_model<SmallTile>({0.602, 0.514, 5000}, {0.39, 0.333, 4100}),
                             sliced_model<SmallestTile>({0.536, 0.379, 3100}, {0.357, 0.283, 2900}),
                             prefetch_model<CompactTile>({0.81, 0.191, 3100}, {0.631, 0.17, 4700}),
                             prefetch_model<ThinTile>({0.79, 0.352, 3100}, {0.557, 0.275, 4600})};

/// Expected cycles of a multiprocessor, launch included. The peak rates are the device's; latencies and shares of
/// peaks are as fitted to an H100.
struct CostModel {
  static constexpr double fixed = 3250, second_pass = 3800, fixup = 5700;

  /// That of an H200 where it is not known.
  static std::size_t l2_size(const DeviceInfo& device) {
    return device.cache > 0 ? device.cache : std::size_t{60} << 20;
  }

  const TileModel& tile;
  const Speed& speed;
  double l2_bytes_per_cycle_alone, l2_bytes_per_cycle;  ///< While few multiprocessors read, and while all do.
  double units, tiles, k_tiles;
  double k_tile_cycles;           ///< At peak.
  double memory_bytes_per_cycle;  ///< Of all multiprocessors.
  double l2_bytes;                ///< That partial sums can be of and stay there.
  double moved;                   ///< Operands and C from memory, cold.

  CostModel(const TileModel& tile_, const MatmulF32::Args& args, const DeviceInfo& device)
      : tile(tile_),
        speed(args.n % 4 == 0 ? tile.aligned : tile.unaligned),
        l2_bytes_per_cycle_alone(device.peak_per_cycle("l2", 64)),
        l2_bytes_per_cycle(0.42 * l2_bytes_per_cycle_alone),
        units(device.compute_units),
        tiles(std::ceil(static_cast<double>(args.n) / tile.n) * std::ceil(static_cast<double>(args.m) / tile.m)),
        k_tiles(std::ceil(static_cast<double>(args.k) / tile.k)),
        k_tile_cycles(2.0 * tile.m * tile.n * tile.k / device.peak_per_cycle("f32", 256)),
        memory_bytes_per_cycle(0.83 * device.peak_per_cycle("memory", 18) * units),
        l2_bytes(0.5 * static_cast<double>(l2_size(device))),
        moved(static_cast<double>(args.a.size_bytes() + args.b.size_bytes() + args.c.size_bytes()) /
              memory_bytes_per_cycle) {}

  /// What computes and what is moved; the shorter of the two is not fully hidden.
  double total(double computed) const { return fixed + std::max(computed, moved) + std::min(computed, moved) / 4; }

  /// The multiprocessor with the most blocks decides, which gets one more by PDL where the grid does not fill the
  /// device. Several splits take a second pass, with their partial sums written and read back.
  double split_k(std::size_t splits, std::size_t partial_bytes, bool pdl) const {
    const double all_blocks = tiles * static_cast<double>(splits), resident = tile.min_blocks;
    double blocks = std::ceil(all_blocks / units);
    if (pdl && all_blocks > 1 && blocks < resident) ++blocks;
    const double full_waves = std::floor(blocks / resident), left = blocks - full_waves * resident;
    const double work = std::ceil(k_tiles / static_cast<double>(splits)) * k_tile_cycles;
    const double partial = resident > 1 ? speed.efficiency_alone +
                                              (speed.efficiency - speed.efficiency_alone) * (left - 1) / (resident - 1)
                                        : speed.efficiency;
    double cycles = full_waves * (resident * work / speed.efficiency + speed.wave_cycles);
    if (left > 0) cycles += left * work / partial + speed.wave_cycles;
    if (splits > 1) {
      const auto bytes = static_cast<double>(partial_bytes);
      cycles += second_pass + 2 * bytes / (bytes <= l2_bytes ? units * l2_bytes_per_cycle : memory_bytes_per_cycle);
    }
    return total(cycles) - (pdl ? pdl_cycles : 0);
  }

  /// All multiprocessors have equal shares. Each share's partial sums go to L2; one block reads all of a tile's.
  double stream_k() const {
    const double blocks = std::min(units * tile.min_blocks, tiles * k_tiles), waves = tiles / blocks;
    const double tile_bytes = sizeof(float) * tile.m * tile.n, shares_per_tile = 1 + std::ceil(1 / waves);
    return total(waves * k_tiles * tile.min_blocks * k_tile_cycles / speed.efficiency +
                 std::max(1.0, waves) * speed.wave_cycles + fixup + tile.min_blocks * tile_bytes / l2_bytes_per_cycle +
                 shares_per_tile * tile_bytes / l2_bytes_per_cycle_alone) -
           pdl_cycles;
  }
};

struct Plan {
  const TileModel* tile = models;
  std::size_t splits = 1;  ///< 0: stream-K.
  bool pdl = true;
  double cycles = std::numeric_limits<double>::infinity();
};

/// Of all tiles or, by its number, of one.
Plan plan(const Queue& queue, const MatmulF32::Args& args, std::size_t forced_tile) {
  const auto units = static_cast<std::size_t>(queue.device.compute_units);
  const std::size_t max_partial_bytes = 4 * CostModel::l2_size(queue.device);
  Plan best;
  const auto consider = [&](const Plan& other) {
    if (other.cycles < best.cycles) best = other;
  };
  for (const TileModel& tile : models) {
    if (forced_tile > 0 && &tile != &models[forced_tile - 1]) continue;
    const CostModel cost(tile, args, queue.device);
    if (tile.launch_stream_k) consider({&tile, 0, true, cost.stream_k()});
    // Splits that give each multiprocessor 0, 1, 2 … blocks, of at least four k-tiles each.
    const std::size_t most = std::max<std::size_t>(1, args.k / (4 * tile.k));
    for (std::size_t blocks_per_unit = 0; blocks_per_unit <= 4 * tile.min_blocks; ++blocks_per_unit) {
      const std::size_t splits =
          std::clamp<std::size_t>(blocks_per_unit * units / static_cast<std::size_t>(cost.tiles), 1, most);
      const std::size_t partial_bytes = split_k_workspace(args, splits);
      if (partial_bytes > max_partial_bytes) break;
      for (const bool pdl : {true, false}) consider({&tile, splits, pdl, cost.split_k(splits, partial_bytes, pdl)});
    }
  }
  return best;
}

/// A kernel for shapes of a kind.
struct Special {
  bool (*is_for)(std::size_t m, std::size_t n, std::size_t k);
  double (*expected_cycles)(const Queue&, const MatmulF32::Args&);
  void (*launch)(const Queue&, const MatmulF32::Args&);
  std::size_t (*workspace_bytes)(const Queue&, const MatmulF32::Args&);
};
constexpr Special specials[]{
    {[](std::size_t, std::size_t, std::size_t k) { return k <= matmul_f32_small_k::max_k; },
     matmul_f32_small_k::expected_cycles, matmul_f32_small_k::gemm,
     [](const Queue&, const MatmulF32::Args&) { return std::size_t{0}; }},
    {[](std::size_t m, std::size_t n, std::size_t k) {
       return k > matmul_f32_small_k::max_k && matmul_f32_few_columns::is_for(m, n, k);
     },
     matmul_f32_few_columns::expected_cycles, matmul_f32_few_columns::gemm, matmul_f32_few_columns::workspace_bytes},
    {[](std::size_t m, std::size_t n, std::size_t k) {
       return k > matmul_f32_small_k::max_k && matmul_f32_few_rows::is_for(m, n, k);
     },
     matmul_f32_few_rows::expected_cycles, matmul_f32_few_rows::gemm, matmul_f32_few_rows::workspace_bytes}};

/// The kernel that is expected to take less than `cycles`, or null.
const Special* faster_special(const Queue& queue, const MatmulF32::Args& args, double cycles) {
  const Special* best = nullptr;
  for (const Special& special : specials)
    if (special.is_for(args.m, args.n, args.k))
      if (const double expected = special.expected_cycles(queue, args); expected < cycles)
        best = &special, cycles = expected;
  return best;
}

/// Calls `with_special(kernel)` or `with_tile(plan)`.
template <class WithSpecial, class WithTile>
auto choose(const Queue& queue, const MatmulF32::Args& args, WithSpecial&& with_special, WithTile&& with_tile) {
  const auto forced_tile = static_cast<std::size_t>(queue.tuning["tile"]);
  const Plan planned = plan(queue, args, forced_tile);
  const Special* const special = forced_tile == 0 ? faster_special(queue, args, planned.cycles) : nullptr;
  return special ? with_special(*special) : with_tile(planned);
}

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return 0;
  if (is_gemv(args)) return gemv_workspace(args);
  return choose(
      queue, args, [&](const Special& special) { return special.workspace_bytes(queue, args); },
      [&](const Plan& plan) {
        return plan.splits == 0 ? plan.tile->stream_k_workspace(queue, args) : split_k_workspace(args, plan.splits);
      });
}

void gemm(const Queue& given, const MatmulF32::Args& args) {
  const Queue queue = pdl_by_tuning(given);
  if (args.c.empty()) return;
  if (is_gemv(args)) return launch_gemv(queue, args);
  choose(
      queue, args, [&](const Special& special) { special.launch(queue, args); },
      [&](const Plan& plan) {
        const Queue planned = pdl_where(plan.pdl, queue);
        plan.splits == 0 ? plan.tile->launch_stream_k(planned, args) : plan.tile->launch(planned, args, plan.splits);
      });
}

/// tile 0: the cost model chooses; splits are always its choice. pdl: programmatic dependent launch.
Tuning tuning(int tile, int pdl = 1) { return {{{"tile", tile}, {"pdl", pdl}}}; }

const Register<MatmulF32> variant{{
    .idea =
        "dispatch by shape: a cost model chooses tile, split-K or stream-K, or a kernel for short sums, few rows or "
        "few columns",
    .bound_by = "issue of multiply-adds; memory bandwidth for few rows or columns",
    .improves = "stream_k",
    .gaps = {{GapClass::no_api,
              "HIP has no asynchronous copy to shared memory: a load and a store in place of cp.async"}},
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(3), tuning(4), tuning(5), tuning(6), tuning(7),
                tuning(8)},
    .tuned_by_table = true,
    .workspace = workspace,
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::gpu
