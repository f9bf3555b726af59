// Entry points of the kernels that `adaptive` and `autotuned` dispatch to. Each stands in its variant's file.
#pragma once

#include "backends/cuda/matmul_f8/operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_config.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Tiles of 64 or 128 rows and 64 or 128 columns; of 128 rows also 192 and, with fast sums, 256 columns. Clusters of 1,
/// 2, 4 or 8 blocks. Schedule::pingpong: of fast sums, 128 x 128 or 192.
namespace matmul_f8_persistent {

/// Clusters that the device holds at once; 0 where they do not fit.
unsigned resident_clusters(const Queue& queue, const MatmulF8::Args& args, const PersistentConfig& config);
/// Requires k to be a multiple of 16.
void gemm(const Queue& queue, const MatmulF8::Args& args, const PersistentConfig& config);

}  // namespace matmul_f8_persistent

/// One row or one column, for any k.
namespace matmul_f8_gemv {

/// Infinity where it is not for this shape.
double expected_cycles(const Queue& queue, const MatmulF8::Args& args);
void gemm(const Queue& queue, const MatmulF8::Args& args);

}  // namespace matmul_f8_gemv

namespace matmul_f8_mma_multistage {
void gemm(const Queue& queue, const MatmulF8::Args& args, unsigned raster);
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
