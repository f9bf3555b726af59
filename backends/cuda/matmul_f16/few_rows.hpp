// few_rows, as dispatchers call it.
#pragma once

#include "backends/cuda/matmul_f16/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_few_rows {

/// C has at most 16 rows and at least 8 columns; B is not transposed.
bool is_for(std::size_t m, std::size_t n, bool b_transposed);
/// By a cost model; launch and latency included. Infinite for an empty product, and where !is_for().
double expected_cycles(const Queue& queue, const MatmulF16::Args& args);
std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args);
/// Requires is_for(), and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF16::Args& args);

}  // namespace matmul_f16_few_rows
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
