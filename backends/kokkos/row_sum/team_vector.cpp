// A team a row, its threads and vector lanes over the row in 16-byte loads, four at once for each lane. Bound by memory
// for long rows; for short ones by the team's reduction, which goes through shared memory. An H200's counters: at
// 24000 x 2048 it has 71 % of the issue slots and ten times the instructions of teams_per_rows, which takes half the
// time; at 3000 x 40960 it reads at 85 % of the memory's peak, CUDA's adaptive at 93 %.
#include "backends/kokkos/row_parts.hpp"

namespace crosswarp::kokkos {
namespace {

void sum(const Queue& queue, const RowSum::Args& args) {
  const Chunks whole(args, args.columns);
  sum_by_chunks(queue, args, whole, queue.tuning["threads"]);
}

const Register<RowSum> variant{{
    .idea = "a team a row, TeamVectorRange in 16-byte loads, four at once per lane: bound by memory for long rows",
    .improves = "team_thread",
    .tunings = {{{{"threads", 256}}}, {{{"threads", 128}}}, {{{"threads", 512}}}},
    .applies = has_rows_for_teams,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
