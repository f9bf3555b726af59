// Entry points of the kernels that `adaptive` dispatches to. Each stands in its variant's file.
#pragma once

#include "backends/kokkos/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {

namespace reduce_sum_flagged_partials {
/// In at most `max_teams` teams. Uses the first workspace_bytes(max_teams) of the queue's workspace.
void reduce(const Queue& queue, const ReduceSum::Args& args, std::size_t max_teams);
std::size_t workspace_bytes(std::size_t max_teams);
}  // namespace reduce_sum_flagged_partials

namespace reduce_sum_scratch_tree {
/// In at most `max_teams` teams.
void reduce(const Queue& queue, const ReduceSum::Args& args, std::size_t max_teams);
}  // namespace reduce_sum_scratch_tree

}  // namespace crosswarp::kokkos
