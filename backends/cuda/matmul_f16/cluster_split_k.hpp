// cluster_split_k, as dispatchers call it.
#pragma once

#include <vector>

#include "backends/cuda/tensor_gemm/cluster_split_model.hpp"
#include "backends/cuda/tensor_gemm/operands.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_cluster_split_k {

/// By expected cycles, three at most. None where the device has no such kernels or does not hold all tiles at once, and
/// for an empty product. Requires aligned rows.
std::vector<ClusterSplitChoice> choices(const Queue& queue, const MatmulF16::Args& args);
void gemm(const Queue& queue, const MatmulF16::Args& args, const ClusterSplitConfig& config);

}  // namespace matmul_f16_cluster_split_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
