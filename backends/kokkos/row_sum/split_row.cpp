// Several teams per row: each adds the sum of its chunk to the row by an atomic. Ends are peeled off, eight 16-byte
// loads are in flight per lane without a test between them, and a team reduces in two steps: shuffles, then a word per
// warp in scratch. Bound by memory bandwidth for long rows, however few; rows are cleared first, by one more launch.
// Where a row is one chunk the team stores it.
#include "backends/kokkos/row_sum/dispatch.hpp"
#include "backends/kokkos/row_sum/teams.hpp"

namespace crosswarp::kokkos {
namespace row_sum_split_row {

constexpr int threads = 256;
constexpr int unroll = 8;
constexpr int resident = 5;  // teams per multiprocessor that leave registers for the loads

void sum(const Queue& queue, const RowSum::Args& args, std::size_t chunk) {
  constexpr std::size_t line = 32;  // elements of a cache line
  constexpr int members = team_threads<threads> / row_lanes;
  const float* const in = args.in.data();
  const auto out = array(args.out);
  const std::size_t rows = args.rows(), columns = args.columns;
  if (rows == 0) return;
  // Equal chunks of whole cache lines, but for the last.
  const std::size_t wanted = std::max<std::size_t>(pieces_of(columns, std::max(chunk, line)), 1);
  const std::size_t length = std::max(pieces_of(columns, wanted * line) * line, line);
  const std::size_t per_row = std::max<std::size_t>(pieces_of(columns, length), 1);
  if (per_row > 1) Kokkos::deep_copy(queue.exec, out, 0.0f);
  using Policy = BoundTeams<threads, resident>;
  auto policy = bound_teams<threads, resident>(queue, rows * per_row, row_lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(members * sizeof(float) + sizeof(Four))));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Policy::member_type& team) {
        float* const sums = scratch<float>(team, members);
        const auto rank = static_cast<std::size_t>(team.league_rank());
        const std::size_t row = rank / per_row, begin = rank % per_row * length;
        const std::size_t count = begin + length < columns ? length : columns - begin;
        const float* const from = in + row * columns + begin;
        float of_thread = 0;
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(team, row_lanes),
            [&](int lane, float& of_lane) {
              of_lane += lane_sum<team_threads<threads>, unroll>(from, count, team.team_rank() * row_lanes + lane);
            },
            of_thread);
        Kokkos::single(Kokkos::PerThread(team), [&] { sums[team.team_rank()] = of_thread; });
        team.team_barrier();
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          float sum = 0;
          for (int i = 0; i < members; ++i) sum += sums[i];
          if (per_row > 1)
            Kokkos::atomic_add(&out(row), sum);
          else
            out(row) = sum;
        });
      });
}

void launch_tuned(const Queue& queue, const RowSum::Args& args) {
  sum(queue, args, static_cast<std::size_t>(queue.tuning["kib"]) * 1024 / sizeof(float));
}

const Register<RowSum> variant{{
    .idea = "several teams per row, eight 16-byte loads in flight per lane, each adds its chunk by an atomic",
    .bound_by = "memory bandwidth for long rows, however few",
    .improves = "team_vector",
    .counterparts = {"split_row"},
    .tunings = {{{{"kib", 64}}}, {{{"kib", 32}}}, {{{"kib", 128}}}, {{{"kib", 256}}}},
    .applies = suits_team_per_row,
    .launch = launch_tuned,
}};

}  // namespace row_sum_split_row
}  // namespace crosswarp::kokkos
