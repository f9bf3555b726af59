// Stream-K as `adaptive` launches it; the kernel stands in stream_k.cu.
#pragma once

#include "backends/cuda/matmul_f32/register_prefetch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_stream_k {

/// For FlatTile, LargeTile and WideTile. Requires m, n > 0 and a workspace of workspace_bytes().
template <class Tile>
void gemm(const Queue& queue, const MatmulF32::Args& args);
template <class Tile>
std::size_t workspace_bytes(const Queue& queue, const MatmulF32::Args& args);

}  // namespace matmul_f32_stream_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
