// gemv, as `adaptive` dispatches to it.
#pragma once

#include "backends/cuda/tensor_gemm/operands.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_gemv {

/// C has one row or one column.
bool is_for(std::size_t m, std::size_t n);
std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args);
/// Requires is_for(), and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF16::Args& args);

}  // namespace matmul_f16_gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
