// Dispatch by shape and device, the library-style entry point: the kernel that cost models expect to be fastest.
// `persistent` with the best tile, cluster and split-K, its operands swapped or not, by way of `repack` where rows of A
// or B do not begin at multiples of 16 bytes; there `row_classes` and `few_columns`, which read a large operand as it
// is; `gemv` for one row or column of C; `small_k` and `skinny` for short sums and short sides of C; `mma_multistage`
// where there is no wgmma. Bound by the matrix units; small shapes by launch and latency, and by shared memory, which
// feeds small tiles.
#include <map>
#include <string>
#include <tuple>

#include "backends/cuda/matmul_f16/dispatch.hpp"
#include "backends/cuda/matmul_f16/few_columns.hpp"
#include "backends/cuda/matmul_f16/gemv.hpp"
#include "backends/cuda/matmul_f16/row_classes.hpp"
#include "backends/cuda/matmul_f16/skinny.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned fallback_raster = 8;

/// Expected cycles of the pass that copies operands whose rows are not aligned: it reads them and writes the copies, of
/// which L2 keeps a part, and short rows take as long as the latency of their loads.
double repacking_cycles(const Queue& queue, const MatmulF16::Args& args) {
  constexpr double fixed = 3090, task_cycles = 2150, resident_tasks = 32;  // of a warp; of a multiprocessor
  constexpr double share_of_peak = 1.36;
  const auto bytes = static_cast<double>(matmul_f16_repack::copied_bytes(args));
  const double units = queue.device.compute_units;
  return bytes == 0 ? 0
                    : fixed + matmul_f16_repack::copy_tasks(args) / (resident_tasks * units) * task_cycles +
                          2 * bytes / (share_of_peak * queue.device.peak_per_cycle("memory", 18) * units);
}

/// Tunings tile1 … tile10.
constexpr BlockShape tiles[] = {{128, 256}, {128, 224}, {128, 192}, {128, 160}, {128, 128},
                                {64, 192},  {64, 160},  {64, 128},  {64, 96},   {64, 64}};

enum class Kernel { persistent, small_k, skinny, few_columns, row_classes, gemv };

struct Choice {
  Kernel kernel;
  PersistentConfig config{};  ///< Of `persistent`.
};

/// tile: the only one of `persistent`, by its number; 0: any, and any kernel.
Choice search(const Queue& queue, const MatmulF16::Args& args, std::size_t tile) {
  if (tile == 0 && matmul_f16_gemv::is_for(args.m, args.n)) return {Kernel::gemv};
  const std::span all(tiles);
  const ProductWork work{.m = args.m,
                         .n = args.n,
                         .operands = matmul_f16_repack::shape_of_copies(args),
                         .operations_of_word = 2,
                         .mma_operations = queue.device.peak_per_cycle("tensor_f16", 4096),
                         .is_f32_out = args.f32_out,
                         .are_copies = matmul_f16_repack::copied_bytes(args) > 0,
                         .may_swap = !args.f32_out};
  constexpr unsigned least_k_tiles = 8;  // of a split
  const PersistentChoice best =
      cheapest(queue.device, work, tile > 0 ? all.subspan(tile - 1, 1) : all, least_k_tiles,
               [&](const PersistentConfig& config) { return matmul_f16_persistent::resident_clusters(queue, config); });
  Choice choice{Kernel::persistent, best.config};
  if (tile > 0) return choice;
  double cycles = best.cycles + repacking_cycles(queue, args);
  const auto consider = [&](Kernel kernel, double expected) {
    if (expected < cycles) choice.kernel = kernel, cycles = expected;
  };
  consider(Kernel::small_k, matmul_f16_small_k::expected_cycles(queue, args));
  consider(Kernel::skinny, matmul_f16_skinny::expected_cycles(queue, args));
  if (matmul_f16_repack::copied_bytes(args) > 0) {
    consider(Kernel::few_columns, matmul_f16_few_columns::expected_cycles(queue, args));
    consider(Kernel::row_classes, matmul_f16_row_classes::expected_cycles(queue, args));
  }
  return choice;
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

std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) {
  if (!has_persistent_gemm(queue)) return 0;
  const auto& [kernel, config] = best_choice(queue, args);
  switch (kernel) {
    case Kernel::persistent:
      return matmul_f16_repack::workspace_bytes(args, config);
    case Kernel::skinny:
      return matmul_f16_skinny::workspace_bytes(queue, args);
    case Kernel::few_columns:
      return matmul_f16_few_columns::workspace_bytes(queue, args);
    case Kernel::row_classes:
      return matmul_f16_row_classes::workspace_bytes(queue, args);
    case Kernel::gemv:
      return matmul_f16_gemv::workspace_bytes(queue, args);
    case Kernel::small_k:
      break;
  }
  return 0;
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (!has_persistent_gemm(queue)) return matmul_f16_mma_multistage::gemm(queue, args, fallback_raster);
  const auto& [kernel, config] = best_choice(queue, args);
  const Queue overlapping = pdl_by_tuning(queue);
  switch (kernel) {
    case Kernel::persistent:
      return matmul_f16_repack::gemm(overlapping, args, config);
    case Kernel::small_k:
      return matmul_f16_small_k::gemm(overlapping, args);
    case Kernel::skinny:
      return matmul_f16_skinny::gemm(overlapping, args);
    case Kernel::few_columns:
      return matmul_f16_few_columns::gemm(overlapping, args);
    case Kernel::row_classes:
      return matmul_f16_row_classes::gemm(overlapping, args);
    case Kernel::gemv:
      return matmul_f16_gemv::gemm(overlapping, args);
  }
}

/// tile 0: the cost model chooses; cluster, splits and whether operands are swapped are always its choice. pdl:
/// programmatic dependent launch.
Tuning tuning(int tile, int pdl = 1) { return {{{"tile", tile}, {"pdl", pdl}}}; }
#endif

const Register<MatmulF16> variant{{
    .idea =
        "dispatch by cost models: persistent with the best tile, cluster and split-K, or by way of repack; small_k for "
        "short sums, gemv for one row or column, skinny for few, where rows are not aligned few_columns and "
        "row_classes, too",
    .bound_by = "the matrix units; at small shapes launch latency",
    .improves = "persistent",
    .needs = {"ptx", "mma_sync"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(3), tuning(4), tuning(5), tuning(6), tuning(7),
                tuning(8), tuning(9), tuning(10)},
    .tuned_by_table = true,
    .workspace = workspace,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
