// Entry points of the kernels that `adaptive` and `autotuned` dispatch to. Each stands in its variant's file.
#pragma once

#include <vector>

#include "backends/cuda/matmul_tf32/operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_config.hpp"
#include "backends/gpu/candidate.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Tiles of 128 x 128, 192 or 256, or of 64 x 128; clusters of 1, 2, 4 or 8 blocks. Schedule::pingpong: of 128 x 128
/// or 192.
namespace matmul_tf32_persistent {

/// Clusters that the device holds at once; 0 where they do not fit.
unsigned resident_clusters(const Queue& queue, const MatmulTf32::Args& args, const PersistentConfig& config);
/// Of copied operands and partial sums.
std::size_t workspace_bytes(const MatmulTf32::Args& args, const PersistentConfig& config);
void gemm(const Queue& queue, const MatmulTf32::Args& args, const PersistentConfig& config);

}  // namespace matmul_tf32_persistent

/// 3xTF32, split in the kernel.
namespace matmul_tf32_wgmma_registers {

/// None for TF32, and for an empty product.
std::vector<Choice<MatmulTf32>> choices(const Queue& queue, const MatmulTf32::Args& args);

}  // namespace matmul_tf32_wgmma_registers

/// One row or one column, in float.
namespace matmul_tf32_gemv {

/// Infinity where it is not for this shape.
double expected_cycles(const Queue& queue, const MatmulTf32::Args& args);
void gemm(const Queue& queue, const MatmulTf32::Args& args);

}  // namespace matmul_tf32_gemv

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
