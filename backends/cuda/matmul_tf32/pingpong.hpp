// pingpong, as dispatchers call it.
#pragma once

#include "backends/cuda/matmul_tf32/operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_config.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Tiles of 128 rows and 128 or 192 columns; clusters of 1, 2, 4 or 8 blocks.
namespace matmul_tf32_pingpong {

/// Clusters that the device holds at once; 0 where they do not fit.
unsigned resident_clusters(const Queue& queue, const PersistentConfig& config);
/// Requires a workspace of matmul_tf32_persistent::workspace_bytes().
void gemm(const Queue& queue, const MatmulTf32::Args& args, const PersistentConfig& config);

}  // namespace matmul_tf32_pingpong

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
