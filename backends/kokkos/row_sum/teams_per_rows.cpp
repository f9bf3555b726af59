// Several rows a team: a row a thread, with as many vector lanes as have work; of short rows eight at once. No
// team-wide reduction, hence no barrier. Bound by memory for many rows.
#include "backends/kokkos/row_parts.hpp"

namespace crosswarp::kokkos {
namespace {

void sum(const Queue& queue, const RowSum::Args& args) {
  const int threads = queue.tuning["threads"];
  if (args.columns <= 512 && rows_are_of_fours(args)) return sum_short_rows(queue, args, threads);
  sum_by_threads(queue, args, threads);
}

const Register<RowSum> variant{{
    .idea =
        "several rows a team, a row per thread and its lanes, eight short ones at once: bound by memory for many rows",
    .improves = "team_vector",
    .tunings = {{{{"threads", 128}}}, {{{"threads", 256}}}},
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
