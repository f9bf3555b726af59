// skinny, as `adaptive` dispatches to it.
#pragma once

#include "backends/cuda/matmul_f16/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_skinny {

/// Where C has few rows or columns: for sums of some k-tiles, where others use a fourth of a tile of tensor cores, and
/// for longer ones where they would copy a large operand. Measured against the others on an H100.
bool is_fastest(const MatmulF16::Args& args);
std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args);
/// Requires a side of C of 64 or less.
void gemm(const Queue& queue, const MatmulF16::Args& args);

}  // namespace matmul_f16_skinny
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
