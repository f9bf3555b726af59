// Candidates of the 16-bit GEMM dispatchers: kernels and their configurations, with the cycles that cost models expect.
// `adaptive` takes the least expected, `autotuned` the fastest of the first ones by measurement.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "backends/cuda/matmul_f16/cluster_split_k.hpp"
#include "backends/cuda/matmul_f16/dispatch.hpp"
#include "backends/cuda/matmul_f16/few_columns.hpp"
#include "backends/cuda/matmul_f16/few_rows.hpp"
#include "backends/cuda/matmul_f16/gathered.hpp"
#include "backends/cuda/matmul_f16/gemv.hpp"
#include "backends/cuda/matmul_f16/row_classes.hpp"
#include "backends/cuda/matmul_f16/skinny.hpp"
#include "backends/cuda/matmul_f16/small_k_mma.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"

#if CROSSWARP_HAS_PTX
#include "backends/gpu/autotuned.hpp"

namespace crosswarp::gpu {
namespace {

inline bool is_modelled(const Choice<MatmulF16>& choice) {
  return choice.cycles < std::numeric_limits<double>::infinity();
}

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

/// Of `persistent`, swapped or not; tunings tile1 … tile12 of `adaptive`.
constexpr BlockShape cooperative_tiles[] = {{128, 256}, {128, 224}, {128, 192}, {128, 176}, {128, 160}, {128, 144},
                                            {128, 128}, {64, 192},  {64, 160},  {64, 128},  {64, 96},   {64, 64}};

constexpr unsigned least_k_tiles = 8;  // of a split

inline ProductWork work_of(const Queue& queue, const MatmulF16::Args& args) {
  return {.m = args.m,
          .n = args.n,
          .operands = matmul_f16_repack::shape_of_copies(args),
          .operations_of_word = 2,
          .mma_operations = queue.device.peak_per_cycle("tensor_f16", 4096),
          .is_f32_out = args.f32_out,
          .are_copies = matmul_f16_repack::copied_bytes(args) > 0,
          .may_swap = true};
}

/// Configurations of `persistent` and `pingpong` with one of the tiles, in the order of candidates.
inline std::vector<PersistentChoice> persistent_configs(const Queue& queue, const MatmulF16::Args& args,
                                                        std::span<const BlockShape> tiles) {
  std::vector<PersistentChoice> choices = persistent_choices(
      queue.device, work_of(queue, args), tiles, least_k_tiles,
      [&](const PersistentConfig& config) { return matmul_f16_persistent::resident_clusters(queue, args, config); });
  // Measured at 1536 cubed by 144 columns, beyond what the model expects: not swapped, B comes in panels of 64 columns,
  // 192 of them here. 160, whose panels are not whole either, are as fast as expected.
  if (!args.b_transposed)
    for (PersistentChoice& choice : choices)
      if (choice.config.columns % 32 != 0) choice.cycles *= choice.config.swapped ? 1.04 : 1.19;
  return choices;
}

/// Of both schedules, the one of fewest expected cycles first.
inline std::vector<PersistentChoice> configs_of_both(const Queue& queue, const MatmulF16::Args& args) {
  return schedules_in_turn(persistent_configs(queue, args, with_pingpong(cooperative_tiles)));
}

/// A product by such a configuration, copies included.
inline Choice<MatmulF16> by_config(const Queue& queue, const MatmulF16::Args& args, const PersistentChoice& choice) {
  const PersistentConfig config = choice.config;
  return {choice.cycles + repacking_cycles(queue, args),
          {[config](const Queue& on, const MatmulF16::Args& of) { matmul_f16_repack::gemm(on, of, config); },
           matmul_f16_repack::workspace_bytes(args, config)}};
}

/// The kernel of a device without wgmma. Its time is not modelled.
inline Choice<MatmulF16> by_mma_multistage() {
  constexpr unsigned raster = 8;
  return {std::numeric_limits<double>::infinity(), {[](const Queue& queue, const MatmulF16::Args& args) {
            matmul_f16_mma_multistage::gemm(queue, args, raster);
          }}};
}

/// The other kernels that can multiply these matrices on the device, those of fewest expected cycles first; of
/// `small_k` the tiles of those numbers.
inline std::vector<Choice<MatmulF16>> other_kernels(const Queue& queue, const MatmulF16::Args& args,
                                                    std::span<const unsigned> small_k_tiles) {
  std::vector<Choice<MatmulF16>> all;
  if (const auto choice = matmul_f16_gemv::choice(queue, args)) all.push_back(*choice);
  if (const auto choice = matmul_f16_cluster_gemv::choice(queue, args)) all.push_back(*choice);
  using WorkspaceBytes = std::size_t (*)(const Queue&, const MatmulF16::Args&);
  const auto consider = [&](double cycles, WorkspaceBytes workspace_bytes, bool keeps_counters, auto launch) {
    if (cycles == std::numeric_limits<double>::infinity()) return;  // not for these matrices
    all.push_back({cycles, {launch, workspace_bytes ? workspace_bytes(queue, args) : 0, keeps_counters}});
  };
  consider(matmul_f16_skinny::expected_cycles(queue, args), matmul_f16_skinny::workspace_bytes, true,
           matmul_f16_skinny::gemm);
  consider(matmul_f16_few_rows::expected_cycles(queue, args), matmul_f16_few_rows::workspace_bytes, true,
           matmul_f16_few_rows::gemm);
  consider(matmul_f16_small_k_mma::expected_cycles(queue, args), nullptr, false, matmul_f16_small_k_mma::gemm);
  for (const unsigned tile : small_k_tiles)
    consider(matmul_f16_small_k::expected_cycles(queue, args, tile), nullptr, false,
             [tile](const Queue& on, const MatmulF16::Args& of) { matmul_f16_small_k::gemm(on, of, tile); });
  if (matmul_f16_repack::copied_bytes(args) == 0) {
    for (const ClusterSplitChoice& choice : matmul_f16_cluster_split_k::choices(queue, args))
      consider(choice.cycles, nullptr, false, [config = choice.config](const Queue& on, const MatmulF16::Args& of) {
        matmul_f16_cluster_split_k::gemm(on, of, config);
      });
  } else {
    consider(matmul_f16_few_columns::expected_cycles(queue, args), matmul_f16_few_columns::workspace_bytes, true,
             matmul_f16_few_columns::gemm);
    if (has_persistent_gemm(queue)) {
      consider(matmul_f16_gathered::expected_cycles(queue, args), matmul_f16_gathered::workspace_bytes, false,
               matmul_f16_gathered::gemm);
      consider(matmul_f16_row_classes::expected_cycles(queue, args), matmul_f16_row_classes::workspace_bytes, false,
               matmul_f16_row_classes::gemm);
    }
  }
  std::ranges::stable_sort(all, {}, &Choice<MatmulF16>::cycles);
  return all;
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
