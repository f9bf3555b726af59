// few_rows, as dispatchers call it.
#pragma once

#include "backends/cuda/matmul_f16/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_few_rows {

/// By a cost model; launch and latency included. Infinite for an empty product, where C has more than 16 rows or fewer
/// than 8 columns, and where B is transposed.
double expected_cycles(const Queue& queue, const MatmulF16::Args& args);
std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args);
/// Requires finite expected_cycles(), and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF16::Args& args);

}  // namespace matmul_f16_few_rows
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
