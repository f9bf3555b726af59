// row_classes, as dispatchers call it.
#pragma once

#include "backends/cuda/matmul_f16/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_row_classes {

/// By a cost model; launches and latency included. Infinite for an empty product, where rows along k begin at multiples
/// of 16 bytes, from k = 2^28 on, and where the small operand has more than 256 rows or columns.
double expected_cycles(const Queue& queue, const MatmulF16::Args& args);
std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args);
/// Requires finite expected_cycles(), and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF16::Args& args);

}  // namespace matmul_f16_row_classes
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
