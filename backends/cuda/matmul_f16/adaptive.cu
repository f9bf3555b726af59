// Dispatch by shape and device, the library-style entry point: `persistent` with the tile, cluster and split-K that a
// cost model expects to be fastest, by way of `repack` where rows of A or B do not begin at multiples of 16 bytes;
// `wgmma` where that costs more than it saves; `mma_multistage` before Hopper. Bound by the matrix units; small shapes
// by launch and latency, and by shared memory, which feeds small tiles.
#include <array>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "backends/cuda/matmul_f16/dispatch.hpp"
#include "backends/cuda/tensor_gemm/swizzled_tile.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
using matmul_f16_persistent::Config;

/// Of one multiprocessor, per cycle. Peaks are the device's; shares of L2's peak are as measured on an H200.
struct Rates {
  double mma_operations;
  double shared_bytes;  ///< Into and out of shared memory.
  double tma_bytes;     ///< By TMA from L2, in whole lines.
  double l2_bytes;      ///< That threads read and write in L2.
  double memory_bytes;  ///< While all multiprocessors read.

  explicit Rates(const DeviceInfo& device)
      : mma_operations(device.peak_per_cycle("tensor_f16", 4096)),
        shared_bytes(device.peak_per_cycle("shared", 128)),
        tma_bytes(0.84 * device.peak_per_cycle("l2", 64)),
        l2_bytes(0.58 * device.peak_per_cycle("l2", 64)),
        memory_bytes(device.peak_per_cycle("memory", 18)) {}
};

// Cycles from one k-tile, tile, launch to the next: latencies of Hopper, measured on an H200.
constexpr double k_tile_cycles = 100, tile_cycles = 300, launch_cycles = 2500;
constexpr unsigned fallback_raster = 8;

/// Lines of L2 that 128 bytes of an operand's row are in.
double lines_per_row(const Operand& operand) { return operand.pitch % row_elements == 0 ? 1 : 2; }

/// Expected cycles. Shared memory bounds small tiles: TMA writes both operands of a k-tile there, and each warpgroup
/// reads its own rows of A and all of B. L2 bounds them where rows begin within lines; what is multicast counts once
/// for the cluster. Split-K writes its partial sums as floats, and adds them in a second launch.
double expected_cycles(const Queue& queue, const MatmulF16::Args& args, const Operands& operands, const Config& config,
                       unsigned resident) {
  const Rates rates(queue.device);
  const double operations = 2.0 * config.rows * config.columns * tile_k;
  const double shared = row_bytes * (2.0 * config.rows + (1 + config.rows / 64) * config.columns);
  const double loaded = row_bytes * (lines_per_row(operands.a) * config.rows / config.cluster.columns +
                                     lines_per_row(operands.b) * config.columns / config.cluster.rows);
  const double k_tile =
      std::max({operations / rates.mma_operations, shared / rates.shared_bytes, loaded / rates.tma_bytes}) +
      k_tile_cycles;
  const double multiplied = blocks_for(blocks_for(args.k, tile_k), config.splits) * k_tile;
  const double element_bytes = args.f32_out || config.splits > 1 ? 4 : 2;
  const double stored = element_bytes * config.rows * config.columns / rates.l2_bytes;
  const double tile = std::max(multiplied, stored) + 8.0 * config.columns + tile_cycles;
  const unsigned clusters = config.splits * blocks_for(args.m, config.rows * config.cluster.rows) *
                            blocks_for(args.n, config.columns * config.cluster.columns);
  const double units = queue.device.compute_units;
  const double from_memory = 2.0 * static_cast<double>(args.a.size() + args.b.size()) / (rates.memory_bytes * units);
  const double add_partials =
      config.splits == 1
          ? 0
          : launch_cycles + 2.0 * static_cast<double>(config.workspace_bytes(args)) / (rates.l2_bytes * units);
  const double all_tiles = blocks_for(clusters, resident) * tile;
  // The shorter of the two is not fully hidden.
  return std::max(all_tiles, from_memory) + std::min(all_tiles, from_memory) / 4 + add_partials;
}

/// Expected cycles of the pass that copies operands whose rows are not aligned: it reads and writes them.
double repacking_cycles(const Queue& queue, const MatmulF16::Args& args) {
  const auto bytes = static_cast<double>(matmul_f16_repack::copied_bytes(args));
  return bytes == 0 ? 0 : launch_cycles + 2 * bytes / (Rates(queue.device).memory_bytes * queue.device.compute_units);
}

/// Expected cycles of `wgmma` where rows are not aligned: its threads load such operands element by element, a warp's
/// 32 from four rows, each of them in two lines of L1, a line a cycle.
double wgmma_cycles(const Queue& queue, const MatmulF16::Args& args, const Operands& operands) {
  constexpr unsigned side = 128;  // of its tiles
  constexpr double elements_per_cycle = 32 / (4 * 2);
  const double elements = (!operands.a.is_aligned() + !operands.b.is_aligned()) * double{side} * tile_k;
  const double tiles = blocks_for(blocks_for(args.m, side) * blocks_for(args.n, side), queue.device.compute_units);
  return tiles * blocks_for(args.k, tile_k) * (elements / elements_per_cycle + k_tile_cycles);
}

/// Whether C has a tile for every block of a cluster.
bool fills_cluster(const MatmulF16::Args& args, const Config& config) {
  return config.cluster.rows <= blocks_for(args.m, config.rows) &&
         config.cluster.columns <= blocks_for(args.n, config.columns);
}

/// Candidates; the first wins where the model sees no difference. Measured on H200: the widest tiles share B, their
/// larger operand, for less power (1 to 2 % faster from 2048 on, else within 0.5 %); others share A (5 % faster at
/// 1024, 1 % at 1536, 1 % slower up to 512).
std::array<ClusterShape, 3> clusters_for(unsigned columns) {
  constexpr ClusterShape share_b{2, 1}, share_a{1, 2}, share_nothing{1, 1};
  return columns == 256 ? std::array{share_b, share_a, share_nothing} : std::array{share_a, share_b, share_nothing};
}

/// A way to multiply, with its expected cycles.
struct Choice {
  Config config{};  ///< Of `persistent`; rows of 0 for `wgmma`.
  double cycles = std::numeric_limits<double>::infinity();

  bool is_persistent() const { return config.rows > 0; }
};

/// Tunings tile1 … tile5: rows and columns.
constexpr std::pair<unsigned, unsigned> tiles[] = {{128, 256}, {128, 192}, {128, 128}, {64, 128}, {64, 64}};

/// The choice of fewest expected cycles; among equals the first. tile: the only one, by its number, or 0.
Choice search(const Queue& queue, const MatmulF16::Args& args, std::size_t tile) {
  const unsigned k_tiles = blocks_for(args.k, tile_k);
  const Operands copies = matmul_f16_repack::shape_of_copies(args);
  const double repacking = repacking_cycles(queue, args);
  Choice best;
  if (tile == 0 && !operands(args).are_aligned()) best.cycles = wgmma_cycles(queue, args, operands(args));
  const std::span all(tiles);
  for (const auto& [rows, columns] : tile > 0 ? all.subspan(tile - 1, 1) : all)
    for (const ClusterShape cluster : clusters_for(columns)) {
      Config config{.rows = rows, .columns = columns, .cluster = cluster, .raster = 16 / cluster.rows};
      const unsigned resident = fills_cluster(args, config) ? resident_clusters(queue, config) : 0;
      for (unsigned splits = 1; resident > 0 && (splits == 1 || (splits <= 64 && k_tiles / splits >= 8)); splits *= 2) {
        config.splits = blocks_for(k_tiles, blocks_for(k_tiles, splits));  // none of them empty
        const double cycles = repacking + expected_cycles(queue, args, copies, config, resident);
        if (cycles < best.cycles) best = {config, cycles};
      }
    }
  return best;
}

/// Cached by shape: a search takes longer than a small product.
const Choice& best_choice(const Queue& queue, const MatmulF16::Args& args) {
  static std::map<std::tuple<std::string, std::size_t, std::size_t, std::size_t, bool, bool, std::size_t>, Choice>
      known;
  const auto tile = static_cast<std::size_t>(queue.tuning["tile"]);
  const auto [found, is_new] =
      known.try_emplace({queue.device.key, args.m, args.n, args.k, args.b_transposed, args.f32_out, tile});
  if (is_new) found->second = search(queue, args, tile);
  return found->second;
}

bool is_hopper(const Queue& queue) {
  return queue.device.has("wgmma") && queue.device.has("tma") && queue.device.has("cluster");
}

std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) {
  if (!is_hopper(queue)) return 0;
  const Choice& choice = best_choice(queue, args);
  return choice.is_persistent() ? matmul_f16_repack::workspace_bytes(args, choice.config) : 0;
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (!is_hopper(queue))
    matmul_f16_mma_multistage::gemm(queue, args, fallback_raster);
  else if (const Choice& choice = best_choice(queue, args); choice.is_persistent())
    matmul_f16_repack::gemm(pdl_by_tuning(queue), args, choice.config);
  else
    matmul_f16_wgmma::gemm(queue, args, fallback_raster);
}

/// tile 0: the cost model chooses; cluster and splits are always its choice. pdl: programmatic dependent launch.
Tuning tuning(int tile, int pdl = 1) { return {{{"tile", tile}, {"pdl", pdl}}}; }
#endif

const Register<MatmulF16> variant{{
    .idea =
        "dispatch by shape: persistent with the tile, cluster and split-K that a cost model picks, or by way of repack",
    .bound_by = "the matrix units; at small shapes launch latency",
    .improves = "persistent",
    .needs = {"ptx", "mma_sync"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(3), tuning(4), tuning(5)},
    .tuned_by_table = true,
    .workspace = workspace,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
