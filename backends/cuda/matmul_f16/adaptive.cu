// Dispatch by shape and device, the library-style entry point: `persistent` with the tile, cluster and split-K that a
// cost model expects to be fastest, by way of `repack` where rows of A or B do not begin at multiples of 16 bytes;
// `small_k` where multiply-adds take less time than that; `mma_multistage` before Hopper. Bound by the matrix units;
// small shapes by launch and latency, and by shared memory, which feeds small tiles.
#include <map>
#include <string>
#include <tuple>

#include "backends/cuda/matmul_f16/dispatch.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned fallback_raster = 8;

/// Expected cycles of the pass that copies operands whose rows are not aligned: it reads and writes them, and short
/// rows take as long as the latency of their loads.
double repacking_cycles(const Queue& queue, const MatmulF16::Args& args) {
  constexpr double task_cycles = 3000, resident_tasks = 32;  // of a warp; of a multiprocessor
  const auto bytes = static_cast<double>(matmul_f16_repack::copied_bytes(args));
  const double units = queue.device.compute_units;
  return bytes == 0 ? 0
                    : launch_cycles + matmul_f16_repack::copy_tasks(args) / (resident_tasks * units) * task_cycles +
                          2 * bytes / (Rates(queue.device).memory_bytes * units);
}

/// Tunings tile1 … tile5.
constexpr BlockShape tiles[] = {{128, 256}, {128, 192}, {128, 128}, {64, 128}, {64, 64}};

/// Rows of 0 stand for `small_k`. tile: the only one, by its number, or 0.
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
  const bool is_for_small_k =
      tile == 0 && matmul_f16_small_k::expected_cycles(queue, args) < best.cycles + repacking_cycles(queue, args);
  return is_for_small_k ? PersistentConfig{} : best.config;
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
    matmul_f16_small_k::gemm(pdl_by_tuning(queue), args);
}

/// tile 0: the cost model chooses; cluster and splits are always its choice. pdl: programmatic dependent launch.
Tuning tuning(int tile, int pdl = 1) { return {{{"tile", tile}, {"pdl", pdl}}}; }
#endif

const Register<MatmulF16> variant{{
    .idea = "dispatch by shape: persistent with the tile, cluster and split-K that a cost model picks, or by way of "
            "repack; small_k for short sums",
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
