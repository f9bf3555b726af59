// Dispatch by shape and device, the library-style entry point: `persistent` with the tile, cluster and split-K that a
// cost model expects to be fastest, by way of `repack` where rows of A or B do not begin at multiples of 16 bytes;
// `wgmma` where that costs more than it saves; `mma_multistage` before Hopper. Bound by the matrix units; small shapes
// by launch and latency, and by shared memory, which feeds small tiles.
#include <map>
#include <string>
#include <tuple>

#include "backends/cuda/matmul_f16/dispatch.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned fallback_raster = 8;

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

/// Tunings tile1 … tile5.
constexpr BlockShape tiles[] = {{128, 256}, {128, 192}, {128, 128}, {64, 128}, {64, 64}};

/// Rows of 0 stand for `wgmma`. tile: the only one, by its number, or 0.
PersistentConfig search(const Queue& queue, const MatmulF16::Args& args, std::size_t tile) {
  const std::span all(tiles);
  const ProductWork work{.m = args.m,
                         .n = args.n,
                         .operands = matmul_f16_repack::shape_of_copies(args),
                         .operations_of_word = 2,
                         .mma_operations = queue.device.peak_per_cycle("tensor_f16", 4096),
                         .is_f32_out = args.f32_out};
  const PersistentChoice best =
      cheapest(queue, work, tile > 0 ? all.subspan(tile - 1, 1) : all, 8,
               [&](const PersistentConfig& config) { return matmul_f16_persistent::resident_clusters(queue, config); });
  const bool may_be_wgmma = tile == 0 && !operands(args).are_aligned();
  return may_be_wgmma && wgmma_cycles(queue, args, operands(args)) <= best.cycles + repacking_cycles(queue, args)
             ? PersistentConfig{}
             : best.config;
}

/// Cached by shape: a search takes longer than a small product.
const PersistentConfig& best_config(const Queue& queue, const MatmulF16::Args& args) {
  static std::map<std::tuple<std::string, std::size_t, std::size_t, std::size_t, bool, bool, std::size_t>,
                  PersistentConfig>
      known;
  const auto tile = static_cast<std::size_t>(queue.tuning["tile"]);
  const auto [found, is_new] =
      known.try_emplace({queue.device.key, args.m, args.n, args.k, args.b_transposed, args.f32_out, tile});
  if (is_new) found->second = search(queue, args, tile);
  return found->second;
}

std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) {
  if (!has_persistent_gemm(queue)) return 0;
  const PersistentConfig& config = best_config(queue, args);
  return config.rows > 0 ? matmul_f16_repack::workspace_bytes(args, config) : 0;
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (!has_persistent_gemm(queue))
    matmul_f16_mma_multistage::gemm(queue, args, fallback_raster);
  else if (const PersistentConfig& config = best_config(queue, args); config.rows > 0)
    matmul_f16_repack::gemm(pdl_by_tuning(queue), args, config);
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
