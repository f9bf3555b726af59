// Entry points of the kernels that `adaptive` dispatches to. Each stands in its variant's file.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Whether every row begins at a multiple of `bytes`, and ends at one.
inline bool rows_are_aligned(const RowSum::Args& args, std::size_t bytes) {
  return args.columns * sizeof(float) % bytes == 0 && reinterpret_cast<std::uintptr_t>(args.in.data()) % bytes == 0;
}

namespace row_sum_rows_per_warp {
/// For rows of up to about 1024 elements; beyond, too few bytes are in flight.
void sum(const Queue& queue, const RowSum::Args& args);
}  // namespace row_sum_rows_per_warp

namespace row_sum_rows_per_block {
constexpr std::size_t max_columns = 1024;  // more would leave most threads without work
/// Requires at most max_columns.
void sum(const Queue& queue, const RowSum::Args& args);
}  // namespace row_sum_rows_per_block

namespace row_sum_warp_per_row {
/// `unroll`: 16-byte loads in flight per lane: 4, 8 or 16.
void sum(const Queue& queue, const RowSum::Args& args, int unroll);
}  // namespace row_sum_warp_per_row

namespace row_sum_split_row {
/// Splits rows into chunks of about `chunk` elements. Uses the first workspace_bytes() of the queue's workspace.
void sum(const Queue& queue, const RowSum::Args& args, std::size_t chunk);
std::size_t workspace_bytes(const RowSum::Args& args, std::size_t chunk);
}  // namespace row_sum_split_row

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
