// Several rows a team: a row a thread, with as many vector lanes as have work; of short rows eight at once. No
// team-wide reduction, hence no barrier. Bound by memory for many rows: on an H200 within 2 % of CUDA's adaptive at
// 24000 x 2048, 4 % at 8192 x 8192; 5 % at 3000 x 40960, where 750 teams are 0.6 of what the device holds. Behind at
// 2^20 x 32: adaptive says why.
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
