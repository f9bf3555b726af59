// cluster_split_k, as dispatchers call it.
#pragma once

#include <vector>

#include "backends/cuda/matmul_f8/operands.hpp"
#include "backends/cuda/tensor_gemm/cluster_split_model.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f8_cluster_split_k {

/// By expected cycles, three at most. None where the device does not hold all tiles at once, and for an empty product.
/// Requires k to be a multiple of 16, and a device with wgmma, TMA and clusters.
std::vector<ClusterSplitChoice> choices(const Queue& queue, const MatmulF8::Args& args);
void gemm(const Queue& queue, const MatmulF8::Args& args, const ClusterSplitConfig& config);

}  // namespace matmul_f8_cluster_split_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
