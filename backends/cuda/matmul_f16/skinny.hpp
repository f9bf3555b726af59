// skinny, as dispatchers call it.
#pragma once

#include "backends/cuda/matmul_f16/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_skinny {

/// By a cost model; launch and latency included. Infinite for an empty product, and where C has more than 64 rows and
/// columns.
double expected_cycles(const Queue& queue, const MatmulF16::Args& args);
std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args);
/// Requires a side of C of 64 or less.
void gemm(const Queue& queue, const MatmulF16::Args& args);

}  // namespace matmul_f16_skinny
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
