// One team per row, TeamThreadRange over its elements: what everybody writes first. Bound by latency for short rows,
// and by the compiler's unrolling for long ones, since an iteration loads one element. Counters at 3000 x 40960 (H200):
// 4 sectors per warp load, seven times the instructions of CUDA's adaptive, 49 % of the memory's peak against 93 %.
#include "backends/kokkos/row_sum/teams.hpp"

namespace crosswarp::kokkos {
namespace {

void sum(const Queue& queue, const RowSum::Args& args) {
  const auto in = array(args.in);
  const auto out = array(args.out);
  const std::size_t columns = args.columns;
  if (args.rows() == 0) return;
  Kokkos::parallel_for(
      teams(queue, args.rows(), 256, 1), KOKKOS_LAMBDA(const Team& team) {
        const auto row = static_cast<std::size_t>(team.league_rank());
        float sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, columns),
            [&](std::size_t column, float& of_thread) { of_thread += in(row * columns + column); }, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] { out(row) = sum; });
      });
}

const Register<RowSum> variant{{
    .idea = "one team per row, TeamThreadRange over its elements",
    .bound_by = "latency for short rows, 4-byte loads for long ones",
    .counterparts = {"block_tree", "block_tree_shuffle"},
    .gaps = {{GapClass::tuning,
              "an iteration loads one element: more instructions, small loads",
              {"instructions", "sectors_per_load"}}},
    .applies = suits_team_per_row,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
