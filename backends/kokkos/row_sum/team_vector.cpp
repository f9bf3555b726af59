// One team per row, TeamVectorRange in 16-byte loads, four in flight per lane. Bound by memory bandwidth for long rows;
// for short ones by the team's reduction, which goes through shared memory. Counters (H200): at 24000 x 2048 it fills
// 71 % of the issue slots and has ten times the instructions of teams_per_rows, which takes half the time; at 3000 x
// 40960 it reaches 85 % of the memory's peak, CUDA's adaptive 93 %.
#include "backends/kokkos/row_sum/teams.hpp"

namespace crosswarp::kokkos {
namespace {

void sum(const Queue& queue, const RowSum::Args& args) {
  const auto in = array(args.in);
  const auto out = array(args.out);
  const std::size_t columns = args.columns;
  if (args.rows() == 0) return;
  Kokkos::parallel_for(
      teams(queue, args.rows(), queue.tuning["threads"], queue.device.warp_size), KOKKOS_LAMBDA(const Team& team) {
        const auto row = static_cast<std::size_t>(team.league_rank());
        const PartSum part(in.data() + row * columns, columns);
        float sum = 0;
        Kokkos::parallel_reduce(Kokkos::TeamVectorRange(team, part.iterations()), part, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] { out(row) = sum; });
      });
}

const Register<RowSum> variant{{
    .idea = "one team per row, TeamVectorRange in 16-byte loads, four in flight per lane",
    .bound_by = "memory bandwidth for long rows, the team's reduction for short ones",
    .improves = "team_thread",
    .counterparts = {"float4"},
    .gaps = {{GapClass::tuning, "a team's reduction goes through scratch memory", {"instructions", "issue_slots"}}},
    .tunings = {{{{"threads", 256}}}, {{{"threads", 128}}}, {{{"threads", 512}}}},
    .applies = suits_team_per_row,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
