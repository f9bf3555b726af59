// Entry points of the kernels that `adaptive` dispatches to. Each stands in its variant's file.
#pragma once

#include "backends/kokkos/queue.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::kokkos {

namespace row_sum_teams_per_rows {
/// In teams of `threads`.
void sum(const Queue& queue, const RowSum::Args& args, int threads);
}  // namespace row_sum_teams_per_rows

namespace row_sum_split_row {
/// In chunks of `chunk` elements, rounded up to whole cache lines.
void sum(const Queue& queue, const RowSum::Args& args, std::size_t chunk);
}  // namespace row_sum_split_row

}  // namespace crosswarp::kokkos
