// Candidates of the 8-bit GEMM dispatchers: configurations of `persistent`, `pingpong` and `cluster_split_k`, and
// `gemv`, with the cycles that cost models expect. `adaptive` takes the least expected, `autotuned` the fastest of the
// first ones by measurement.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/cuda/matmul_f8/cluster_split_k.hpp"
#include "backends/cuda/matmul_f8/dispatch.hpp"
#include "backends/cuda/matmul_f8/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"

#if CROSSWARP_HAS_PTX
#include "backends/gpu/autotuned.hpp"

namespace crosswarp::gpu {
namespace {

/// Where `persistent` can multiply; `mma_multistage` always can.
inline bool is_for_persistent(const Queue& queue, const MatmulF8::Args& args) {
  return args.k % 16 == 0 && has_persistent_gemm(queue);
}

/// Of `persistent` and `pingpong`, the one of fewest expected cycles first. Requires is_for_persistent().
inline std::vector<PersistentChoice> configs_of_both(const Queue& queue, const MatmulF8::Args& args) {
  constexpr BlockShape cooperative[] = {{128, 256}, {128, 192}, {128, 128}, {64, 128}, {64, 64}};
  constexpr std::size_t not_promoted = 1;  // tiles that have no kernels with promoted sums, the first ones
  constexpr unsigned least_k_tiles = 4;    // of a split
  const ProductWork work{.m = args.m,
                         .n = args.n,
                         .operands = operands_in_pairs(args),
                         .operations_of_word = 4,
                         .mma_operations = queue.device.peak_per_cycle("tensor_fp8", 8192),
                         .is_f32_out = args.f32_out,
                         .is_promoted = args.promoted};
  const std::span all(cooperative);
  const std::vector<BlockShape> tiles =
      args.promoted ? std::vector<BlockShape>(all.begin() + not_promoted, all.end()) : with_pingpong(all);
  return schedules_in_turn(persistent_choices(
      queue.device, work, tiles, least_k_tiles,
      [&](const PersistentConfig& config) { return matmul_f8_persistent::resident_clusters(queue, args, config); }));
}

inline Candidate<MatmulF8> by_config(const MatmulF8::Args& args, const PersistentChoice& choice) {
  const PersistentConfig config = choice.config;
  return {[config](const Queue& on, const MatmulF8::Args& of) { matmul_f8_persistent::gemm(on, of, config); },
          config.workspace_bytes(args.m, args.n)};
}

/// Of kernels for few rows, columns or tiles, by expected cycles.
inline std::vector<Choice<MatmulF8>> special_choices(const Queue& queue, const MatmulF8::Args& args) {
  std::vector<Choice<MatmulF8>> special;
  if (const double cycles = matmul_f8_gemv::expected_cycles(queue, args); std::isfinite(cycles))
    special.push_back({cycles, {matmul_f8_gemv::gemm}});
  if (is_for_persistent(queue, args))
    for (const auto& [config, cycles] : matmul_f8_cluster_split_k::choices(queue, args))
      special.push_back({cycles, {[config](const Queue& on, const MatmulF8::Args& of) {
                           matmul_f8_cluster_split_k::gemm(on, of, config);
                         }}});
  std::ranges::stable_sort(special, {}, &Choice<MatmulF8>::cycles);
  return special;
}

inline Candidate<MatmulF8> by_mma_multistage() {
  constexpr unsigned raster = 8;
  return {[](const Queue& queue, const MatmulF8::Args& args) { matmul_f8_mma_multistage::gemm(queue, args, raster); }};
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
