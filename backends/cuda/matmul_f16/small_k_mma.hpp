// small_k_mma, as dispatchers call it.
#pragma once

#include "backends/cuda/matmul_f16/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_small_k_mma {

/// By a cost model; launch and latency included. Infinite for an empty product, and for k outside 8 … 128.
double expected_cycles(const Queue& queue, const MatmulF16::Args& args);
/// Requires finite expected_cycles().
void gemm(const Queue& queue, const MatmulF16::Args& args);

}  // namespace matmul_f16_small_k_mma
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
