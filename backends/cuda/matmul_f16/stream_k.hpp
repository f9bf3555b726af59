// stream_k, as `adaptive` dispatches to it.
#pragma once

#include "backends/cuda/tensor_gemm/operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_config.hpp"

#if CROSSWARP_HAS_PTX
namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_stream_k {

/// A configuration, without splits, and the cycles that a product is expected to take, launch included.
struct Choice {
  PersistentConfig config;
  double cycles;
};

/// The fastest by a cost model. Requires aligned rows, and no empty matrix.
Choice cheapest(const Queue& queue, const MatmulF16::Args& args);
std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config);
void gemm(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config);

}  // namespace matmul_f16_stream_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
#endif
