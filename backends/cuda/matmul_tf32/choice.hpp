// Candidates of the TF32 GEMM dispatchers: configurations of `persistent`, with the cycles that a cost model expects.
// `adaptive` takes the least expected, `autotuned` the fastest of the first ones by measurement.
#pragma once

#include <vector>

#include "backends/cuda/matmul_tf32/dispatch.hpp"
#include "backends/cuda/matmul_tf32/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"

#if CROSSWARP_HAS_PTX
#include "backends/gpu/autotuned.hpp"

namespace crosswarp::gpu {
namespace {

inline std::vector<PersistentChoice> persistent_configs(const Queue& queue, const MatmulTf32::Args& args) {
  constexpr BlockShape tiles[] = {{128, 256}, {128, 192}, {128, 128}, {64, 128}};
  constexpr unsigned least_k_tiles = 8;  // of a split
  const ProductWork work{.m = args.m,
                         .n = args.n,
                         .operands = Tf32Operands(args, {}).multiplied(),
                         .operations_of_word = 1,
                         .mma_operations = queue.device.peak_per_cycle("tensor_tf32", 2048),
                         .is_f32_out = true};
  return persistent_choices(queue.device, work, tiles, least_k_tiles, [&](const PersistentConfig& config) {
    return matmul_tf32_persistent::resident_clusters(queue, config);
  });
}

inline Candidate<MatmulTf32> by_persistent(const MatmulTf32::Args& args, const PersistentChoice& choice) {
  const PersistentConfig config = choice.config;
  return {[config](const Queue& on, const MatmulTf32::Args& of) { matmul_tf32_persistent::gemm(on, of, config); },
          matmul_tf32_persistent::workspace_bytes(args, config)};
}

inline Candidate<MatmulTf32> by_gemv() { return {matmul_tf32_gemv::gemm}; }

}  // namespace
}  // namespace crosswarp::gpu

#endif
