// Candidates of the TF32 GEMM dispatchers: configurations of `persistent`, `pingpong`, `cluster_split_k` and, for
// 3xTF32, `wgmma_registers`, and `gemv`, with the cycles that cost models expect. `adaptive` takes the least expected,
// `autotuned` the fastest of the first ones by measurement.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/cuda/matmul_tf32/cluster_split_k.hpp"
#include "backends/cuda/matmul_tf32/dispatch.hpp"
#include "backends/cuda/matmul_tf32/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"

#if CROSSWARP_HAS_PTX
#include "backends/gpu/autotuned.hpp"

namespace crosswarp::gpu {
namespace {

/// Of `persistent` and `pingpong`, the one of fewest expected cycles first.
inline std::vector<PersistentChoice> configs_of_both(const Queue& queue, const MatmulTf32::Args& args) {
  constexpr BlockShape cooperative[] = {{128, 256}, {128, 192}, {128, 128}, {64, 128}};
  constexpr unsigned least_k_tiles = 8;  // of a split
  const ProductWork work{.m = args.m,
                         .n = args.n,
                         .operands = Tf32Operands(args, {}).multiplied(),
                         .operations_of_word = 1,
                         .mma_operations = queue.device.peak_per_cycle("tensor_tf32", 2048),
                         .is_f32_out = true};
  return schedules_in_turn(persistent_choices(
      queue.device, work, with_pingpong(cooperative), least_k_tiles,
      [&](const PersistentConfig& config) { return matmul_tf32_persistent::resident_clusters(queue, args, config); }));
}

/// Of the pass that splits the operands of 3xTF32, which reads them and writes three times as much: at 0.7 of the rate
/// of reads alone, estimated from three products on an H100 of which the pass is most.
inline double pass_cycles(const Queue& queue, const MatmulTf32::Args& args) {
  const double bytes = 4.0 * static_cast<double>(args.a.size_bytes() + args.b.size_bytes());
  const double units = std::max(1, queue.device.compute_units);
  return args.split ? 2 * launch_cycles + bytes / (0.7 * Rates(queue.device).memory_bytes * units) : 0;
}

inline Choice<MatmulTf32> by_config(const Queue& queue, const MatmulTf32::Args& args, const PersistentChoice& choice) {
  const PersistentConfig config = choice.config;
  return {choice.cycles + pass_cycles(queue, args),
          {[config](const Queue& on, const MatmulTf32::Args& of) { matmul_tf32_persistent::gemm(on, of, config); },
           matmul_tf32_persistent::workspace_bytes(args, config)}};
}

/// Of kernels for one precision, or few rows, columns or tiles, by expected cycles.
inline std::vector<Choice<MatmulTf32>> special_choices(const Queue& queue, const MatmulTf32::Args& args) {
  std::vector<Choice<MatmulTf32>> special = matmul_tf32_wgmma_registers::choices(queue, args);
  if (const double cycles = matmul_tf32_gemv::expected_cycles(queue, args); std::isfinite(cycles))
    special.push_back({cycles, {matmul_tf32_gemv::gemm}});
  for (const auto& [config, cycles] : matmul_tf32_cluster_split_k::choices(queue, args))
    special.push_back(
        {cycles + pass_cycles(queue, args),
         {[config](const Queue& on, const MatmulTf32::Args& of) { matmul_tf32_cluster_split_k::gemm(on, of, config); },
          Tf32Operands(args, {}).bytes()}});
  std::ranges::stable_sort(special, {}, &Choice<MatmulTf32>::cycles);
  return special;
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
