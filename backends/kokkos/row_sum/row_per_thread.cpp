// One row per Kokkos thread, whose 32 vector lanes have up to sixteen 16-byte loads in flight each; ends peeled off, no
// test between the loads, one reduction by shuffles, no barrier. Bound by memory bandwidth for many rows of a few
// kilobytes; few rows leave most of the device idle.
#include "backends/kokkos/row_sum/dispatch.hpp"
#include "backends/kokkos/row_sum/teams.hpp"

namespace crosswarp::kokkos {
namespace row_sum_row_per_thread {

constexpr int threads = 128;

/// `resident`: teams per multiprocessor that leave registers for `unroll` loads in flight.
template <int unroll, int resident>
void sum_with(const Queue& queue, const RowSum::Args& args) {
  const float* const in = args.in.data();
  const auto out = array(args.out);
  const std::size_t rows = args.rows(), columns = args.columns;
  constexpr auto per_team = static_cast<std::size_t>(team_threads<threads> / row_lanes);
  using Policy = BoundTeams<threads, resident>;
  Kokkos::parallel_for(
      bound_teams<threads, resident>(queue, pieces_of(rows, per_team), row_lanes),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::size_t row =
            static_cast<std::size_t>(team.league_rank()) * per_team + static_cast<std::size_t>(team.team_rank());
        if (row >= rows) return;
        float sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(team, row_lanes),
            [&](int lane, float& of_lane) {
              of_lane += lane_sum<row_lanes, unroll>(in + row * columns, columns, lane);
            },
            sum);
        Kokkos::single(Kokkos::PerThread(team), [&] { out(row) = sum; });
      });
}

void sum(const Queue& queue, const RowSum::Args& args, int unroll) {
  if (args.rows() == 0) return;
  if (unroll == 16) sum_with<16, 6>(queue, args);
  if (unroll == 8) sum_with<8, 8>(queue, args);
}

void launch_tuned(const Queue& queue, const RowSum::Args& args) { sum(queue, args, queue.tuning["unroll"]); }

const Register<RowSum> variant{{
    .idea = "one row per thread and its 32 lanes, up to sixteen 16-byte loads in flight per lane, no barrier",
    .bound_by = "memory bandwidth for many rows",
    .improves = "teams_per_rows",
    .counterparts = {"warp_per_row"},
    .gaps = {{GapClass::tuning,
              "not explained yet",
              {},
              [](const Point& point) { return point.integer("m") == 3000 && point.integer("n") == 2048; }}},
    .tunings = {{{{"unroll", 16}}}, {{{"unroll", 8}}}},
    .launch = launch_tuned,
}};

}  // namespace row_sum_row_per_thread
}  // namespace crosswarp::kokkos
