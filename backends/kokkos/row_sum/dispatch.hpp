// Entry points of the kernels that `adaptive` dispatches to. Each stands in its variant's file.
#pragma once

#include "backends/kokkos/queue.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::kokkos {

namespace row_sum_tile_sums {
constexpr std::size_t max_columns = 4096;
/// Requires rows of whole 16-byte vectors, at most max_columns elements.
void sum(const Queue& queue, const RowSum::Args& args);
}  // namespace row_sum_tile_sums

namespace row_sum_scratch_tile {
constexpr std::size_t max_columns = 1024;  // more would leave most threads without work
/// Requires at most max_columns.
void sum(const Queue& queue, const RowSum::Args& args);
}  // namespace row_sum_scratch_tile

namespace row_sum_row_per_thread {
/// `unroll`: 16-byte loads in flight per lane: 8 or 16.
void sum(const Queue& queue, const RowSum::Args& args, int unroll);
}  // namespace row_sum_row_per_thread

namespace row_sum_teams_per_rows {
/// In teams of `threads`.
void sum(const Queue& queue, const RowSum::Args& args, int threads);
}  // namespace row_sum_teams_per_rows

namespace row_sum_split_row {
/// In chunks of `chunk` elements, rounded up to whole cache lines.
void sum(const Queue& queue, const RowSum::Args& args, std::size_t chunk);
}  // namespace row_sum_split_row

}  // namespace crosswarp::kokkos
