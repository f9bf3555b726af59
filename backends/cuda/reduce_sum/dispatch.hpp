// Entry points of the kernels that other rungs launch: `adaptive` dispatches to them, two-launch reductions end with
// last_block. Each stands in its variant's file.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

// `waves`: blocks of the grid, as a multiple of the resident ones. `unroll`: 16-byte loads in flight per thread: 1,
// 2, 4.

namespace reduce_sum_float4 {
void reduce(const Queue& queue, const ReduceSum::Args& args, int waves);
}

namespace reduce_sum_last_block {
/// Uses the first workspace_bytes() of the queue's workspace.
void reduce(const Queue& queue, const ReduceSum::Args& args, int waves);
std::size_t workspace_bytes(const Queue& queue, int waves);
}  // namespace reduce_sum_last_block

#if CROSSWARP_HAS_COOPERATIVE
namespace reduce_sum_flagged_partials {
/// In one wave of blocks of 512 threads.
void reduce(const Queue& queue, const ReduceSum::Args& args, int unroll);
}  // namespace reduce_sum_flagged_partials
#endif

#if CROSSWARP_HAS_PTX
namespace reduce_sum_cluster {
/// In clusters of `size` blocks of 512 threads, at most one wave.
void reduce(const Queue& queue, const ReduceSum::Args& args, unsigned size, int unroll);
}  // namespace reduce_sum_cluster
#endif

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
