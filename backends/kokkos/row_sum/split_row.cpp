// Several teams per row: each adds the sum of its chunk to the row by an atomic. Bound by memory bandwidth for long
// rows, however few; rows are cleared first, by one more launch. At 1 x 2^28 within 3 % of CUDA's rung on an H200, with
// four times its instructions (89 against 92 % of the memory's peak). Where a row is one chunk it is team_vector.
#include "backends/kokkos/row_sum/dispatch.hpp"
#include "backends/kokkos/row_sum/teams.hpp"

namespace crosswarp::kokkos {
namespace row_sum_split_row {

void sum(const Queue& queue, const RowSum::Args& args, std::size_t chunk) {
  constexpr std::size_t line = 32;  // elements of a cache line
  const auto in = array(args.in);
  const auto out = array(args.out);
  const std::size_t rows = args.rows(), columns = args.columns;
  const std::size_t length = std::max((chunk + line - 1) / line * line, line);
  const std::size_t per_row = std::max<std::size_t>((columns + length - 1) / length, 1);
  if (rows == 0) return;
  if (per_row > 1) Kokkos::deep_copy(queue.exec, out, 0.0f);
  Kokkos::parallel_for(
      teams(queue, rows * per_row, 256, queue.device.warp_size), KOKKOS_LAMBDA(const Team& team) {
        const auto rank = static_cast<std::size_t>(team.league_rank());
        const std::size_t row = rank / per_row, begin = rank % per_row * length;
        const std::size_t count = begin + length < columns ? length : columns - begin;
        const PartSum part(in.data() + row * columns + begin, count);
        float sum = 0;
        Kokkos::parallel_reduce(Kokkos::TeamVectorRange(team, part.iterations()), part, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] {
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
    .idea = "several teams per row, each adds its chunk by an atomic",
    .bound_by = "memory bandwidth for long rows, however few",
    .improves = "team_vector",
    .counterparts = {"split_row"},
    .gaps = {{GapClass::tuning,
              "each chunk is a loop with ends, and a team's reduction goes through scratch memory",
              {"instructions", "branches", "dram_throughput"},
              [](const Point& point) { return point.integer("m") > 1; }}},
    .tunings = {{{{"kib", 64}}}, {{{"kib", 32}}}, {{{"kib", 128}}}},
    .applies = suits_team_per_row,
    .launch = launch_tuned,
}};

}  // namespace row_sum_split_row
}  // namespace crosswarp::kokkos
