// few_columns, as dispatchers call it.
#pragma once

#include "backends/cuda/matmul_f16/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_few_columns {

/// By a cost model; launch and latency included. Infinite for an empty product, for short sums, and where C has more
/// than 16 columns and, if B is transposed, rows.
double expected_cycles(const Queue& queue, const MatmulF16::Args& args);
std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args);
/// Requires a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF16::Args& args);

}  // namespace matmul_f16_few_columns
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
