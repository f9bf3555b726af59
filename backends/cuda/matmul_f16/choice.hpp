// Candidates of the 16-bit GEMM dispatchers: kernels and their configurations, with the cycles that cost models expect.
// `adaptive` takes the least expected, `autotuned` the fastest of the first ones by measurement.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "backends/cuda/matmul_f16/dispatch.hpp"
#include "backends/cuda/matmul_f16/few_columns.hpp"
#include "backends/cuda/matmul_f16/few_rows.hpp"
#include "backends/cuda/matmul_f16/gemv.hpp"
#include "backends/cuda/matmul_f16/row_classes.hpp"
#include "backends/cuda/matmul_f16/skinny.hpp"
#include "backends/cuda/matmul_f16/small_k_mma.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

struct Choice {
  enum class Kernel {
    mma_multistage,
    persistent,
    small_k,
    small_k_mma,
    skinny,
    few_columns,
    few_rows,
    row_classes,
    gemv
  } kernel;
  double cycles = std::numeric_limits<double>::infinity();  ///< Expected.
  PersistentConfig config{};                                ///< Of `persistent`.
  unsigned tile = 0;                                        ///< Of `small_k`.
};

/// Expected cycles of the pass that copies operands whose rows are not aligned: it reads them and writes the copies, of
/// which L2 keeps a part, and short rows take as long as the latency of their loads.
inline double repacking_cycles(const Queue& queue, const MatmulF16::Args& args) {
  constexpr double fixed = 3090, task_cycles = 2150, resident_tasks = 32;  // of a warp; of a multiprocessor
  constexpr double share_of_peak = 1.36;
  const auto bytes = static_cast<double>(matmul_f16_repack::copied_bytes(args));
  const double units = queue.device.compute_units;
  return bytes == 0 ? 0
                    : fixed + matmul_f16_repack::copy_tasks(args) / (resident_tasks * units) * task_cycles +
                          2 * bytes / (share_of_peak * queue.device.peak_per_cycle("memory", 18) * units);
}

/// Of `persistent`; tunings tile1 … tile10 of `adaptive`.
constexpr BlockShape all_tiles[] = {{128, 256}, {128, 224}, {128, 192}, {128, 160}, {128, 128},
                                    {64, 192},  {64, 160},  {64, 128},  {64, 96},   {64, 64}};

/// Configurations of `persistent` with one of the tiles, in the order of candidates.
inline std::vector<PersistentChoice> persistent_configs(const Queue& queue, const MatmulF16::Args& args,
                                                        std::span<const BlockShape> tiles) {
  constexpr unsigned least_k_tiles = 8;  // of a split
  const ProductWork work{.m = args.m,
                         .n = args.n,
                         .operands = matmul_f16_repack::shape_of_copies(args),
                         .operations_of_word = 2,
                         .mma_operations = queue.device.peak_per_cycle("tensor_f16", 4096),
                         .is_f32_out = args.f32_out,
                         .are_copies = matmul_f16_repack::copied_bytes(args) > 0,
                         .may_swap = !args.f32_out};
  return persistent_choices(queue.device, work, tiles, least_k_tiles, [&](const PersistentConfig& config) {
    return matmul_f16_persistent::resident_clusters(queue, config);
  });
}

/// A product by `config`, copies included.
inline Choice by_persistent(const Queue& queue, const MatmulF16::Args& args, const PersistentChoice& choice) {
  return {Choice::Kernel::persistent, choice.cycles + repacking_cycles(queue, args), choice.config};
}

/// The other kernels that can multiply these matrices; of `small_k` the tiles of those numbers.
inline std::vector<Choice> other_kernels(const Queue& queue, const MatmulF16::Args& args,
                                         std::span<const unsigned> small_k_tiles) {
  using Kernel = Choice::Kernel;
  std::vector<Choice> all{{Kernel::gemv, matmul_f16_gemv::expected_cycles(queue, args)},
                          {Kernel::skinny, matmul_f16_skinny::expected_cycles(queue, args)},
                          {Kernel::few_rows, matmul_f16_few_rows::expected_cycles(queue, args)},
                          {Kernel::small_k_mma, matmul_f16_small_k_mma::expected_cycles(queue, args)}};
  for (const unsigned tile : small_k_tiles)
    all.push_back({Kernel::small_k, matmul_f16_small_k::expected_cycles(queue, args, tile), {}, tile});
  if (matmul_f16_repack::copied_bytes(args) > 0) {
    all.push_back({Kernel::few_columns, matmul_f16_few_columns::expected_cycles(queue, args)});
    all.push_back({Kernel::row_classes, matmul_f16_row_classes::expected_cycles(queue, args)});
  }
  std::erase_if(all, [](const Choice& choice) { return choice.cycles == std::numeric_limits<double>::infinity(); });
  return all;
}

/// That of fewest expected cycles; of persistent_configs() among near equals the first.
inline Choice cheapest_choice(const Queue& queue, const MatmulF16::Args& args,
                              std::span<const PersistentChoice> configs, std::span<const Choice> others) {
  Choice best = by_persistent(queue, args, cheapest(configs));
  for (const Choice& other : others)
    if (other.cycles < best.cycles) best = other;
  return best;
}

inline std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args, const Choice& choice) {
  switch (choice.kernel) {
    case Choice::Kernel::persistent:
      return matmul_f16_repack::workspace_bytes(args, choice.config);
    case Choice::Kernel::skinny:
      return matmul_f16_skinny::workspace_bytes(queue, args);
    case Choice::Kernel::few_columns:
      return matmul_f16_few_columns::workspace_bytes(queue, args);
    case Choice::Kernel::few_rows:
      return matmul_f16_few_rows::workspace_bytes(queue, args);
    case Choice::Kernel::row_classes:
      return matmul_f16_row_classes::workspace_bytes(queue, args);
    case Choice::Kernel::gemv:
      return matmul_f16_gemv::workspace_bytes(queue, args);
    case Choice::Kernel::mma_multistage:
    case Choice::Kernel::small_k:
    case Choice::Kernel::small_k_mma:
      break;
  }
  return 0;
}

/// Multiplies by the choice. Requires a workspace of workspace_bytes().
inline void multiply_by(const Queue& queue, const MatmulF16::Args& args, const Choice& choice) {
  constexpr unsigned raster = 8;  // of mma_multistage
  switch (choice.kernel) {
    case Choice::Kernel::mma_multistage:
      return matmul_f16_mma_multistage::gemm(queue, args, raster);
    case Choice::Kernel::persistent:
      return matmul_f16_repack::gemm(queue, args, choice.config);
    case Choice::Kernel::small_k:
      return matmul_f16_small_k::gemm(queue, args, choice.tile);
    case Choice::Kernel::small_k_mma:
      return matmul_f16_small_k_mma::gemm(queue, args);
    case Choice::Kernel::skinny:
      return matmul_f16_skinny::gemm(queue, args);
    case Choice::Kernel::few_columns:
      return matmul_f16_few_columns::gemm(queue, args);
    case Choice::Kernel::few_rows:
      return matmul_f16_few_rows::gemm(queue, args);
    case Choice::Kernel::row_classes:
      return matmul_f16_row_classes::gemm(queue, args);
    case Choice::Kernel::gemv:
      return matmul_f16_gemv::gemm(queue, args);
  }
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
