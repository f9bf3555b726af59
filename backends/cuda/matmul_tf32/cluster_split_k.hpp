// cluster_split_k, as dispatchers call it.
#pragma once

#include <vector>

#include "backends/cuda/matmul_tf32/operands.hpp"
#include "backends/cuda/tensor_gemm/cluster_split_model.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_tf32_cluster_split_k {

/// By expected cycles, three at most. Those of a pass before are not counted. None where the device does not hold all
/// tiles at once, and for an empty product.
std::vector<ClusterSplitChoice> choices(const Queue& queue, const MatmulTf32::Args& args);
/// Requires a workspace of Tf32Operands::bytes().
void gemm(const Queue& queue, const MatmulTf32::Args& args, const ClusterSplitConfig& config);

}  // namespace matmul_tf32_cluster_split_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
