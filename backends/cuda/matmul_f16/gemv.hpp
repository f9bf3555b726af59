// gemv, as dispatchers call it.
#pragma once

#include "backends/cuda/tensor_gemm/operands.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_gemv {

/// By a cost model; launch and latency included. Infinite for an empty product, and where C has more than one row and
/// column.
double expected_cycles(const Queue& queue, const MatmulF16::Args& args);
std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args);
/// Requires one row or column of C, and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF16::Args& args);

}  // namespace matmul_f16_gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
