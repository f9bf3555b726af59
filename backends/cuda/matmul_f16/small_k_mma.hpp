// small_k_mma, as dispatchers call it.
#pragma once

#include "backends/cuda/matmul_f16/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_small_k_mma {

/// Both operands of a tile fit into shared memory, and 16 bytes of a row along k reach into one other row at most.
bool is_for(std::size_t k);
/// By a cost model; launch and latency included. Infinite for an empty product, and where !is_for().
double expected_cycles(const Queue& queue, const MatmulF16::Args& args);
/// Requires is_for().
void gemm(const Queue& queue, const MatmulF16::Args& args);

}  // namespace matmul_f16_small_k_mma
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
