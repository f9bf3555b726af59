// Entry points of the kernels that `adaptive` and `autotuned` dispatch to. Each stands in its variant's file.
#pragma once

#include "backends/cuda/tensor_gemm/operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_config.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Tiles of 128 x 128, 144, 160, 176, 192, 224 or 256, or of 64 x 64, 96, 128, 160 or 192; clusters of 1, 2, 4 or 8
/// blocks. Swapped: where has_swapped_kernel(). Schedule::pingpong: of 128 x 128 or 192, not swapped.
namespace matmul_f16_persistent {

/// Clusters that the device holds at once; 0 where they do not fit.
unsigned resident_clusters(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config);
/// Multiplies `operands`, which are those of `args` or copies of them. Requires aligned rows.
void gemm(const Queue& queue, const MatmulF16::Args& args, const Operands& operands, const PersistentConfig& config);

}  // namespace matmul_f16_persistent

namespace matmul_f16_repack {

/// The operands that gemm() multiplies, by shape and pitch: those of `args`, or copies with aligned rows.
Operands shape_of_copies(const MatmulF16::Args& args);
/// Of the copies; 0 where all rows are aligned.
std::size_t copied_bytes(const MatmulF16::Args& args);
/// Rows that are copied, or segments of long ones.
unsigned copy_tasks(const MatmulF16::Args& args);
/// Of the copies and of the product.
std::size_t workspace_bytes(const MatmulF16::Args& args, const PersistentConfig& config);
/// Repacks operands whose rows are not aligned, then multiplies by `persistent`, or `pingpong`.
void gemm(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config);

}  // namespace matmul_f16_repack

namespace matmul_f16_small_k {

/// Tiles are numbers 1, 2 and 3; 0 is the one that the cost model chooses.
constexpr unsigned tiles = 3;
/// By the cost model; launch and latency included. Infinite where the tile is not for such a product.
double expected_cycles(const Queue& queue, const MatmulF16::Args& args, unsigned tile = 0);
void gemm(const Queue& queue, const MatmulF16::Args& args, unsigned tile = 0);

}  // namespace matmul_f16_small_k

namespace matmul_f16_mma_multistage {
void gemm(const Queue& queue, const MatmulF16::Args& args, unsigned raster);
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
