// pingpong, as dispatchers call it.
#pragma once

#include "backends/cuda/tensor_gemm/operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_config.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Tiles of 128 rows and 128, 144, 160, 176 or 192 columns, whose operands are not swapped; clusters of 1, 2, 4 or 8
/// blocks, whose shares of a tile are multiples of eight rows.
namespace matmul_f16_pingpong {

/// Clusters that the device holds at once; 0 where they do not fit.
unsigned resident_clusters(const Queue& queue, const PersistentConfig& config);
/// Requires aligned rows.
void gemm(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config);

}  // namespace matmul_f16_pingpong

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
