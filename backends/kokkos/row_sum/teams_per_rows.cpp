// Several rows per team: a row per thread, with as many vector lanes as have work; of short rows eight at once. No
// reduction over the team, hence no barrier. Bound by memory bandwidth for many rows: on an H200 within 2 % of CUDA's
// adaptive at 24000 x 2048, 4 % at 8192 x 8192; 5 % at 3000 x 40960, where its 750 teams are 0.6 of what the device
// holds. Slower at 2^20 x 32: eight sums are shuffled through a few lanes, of which one stores them; tile_sums does
// not.
#include "backends/kokkos/row_sum/dispatch.hpp"
#include "backends/kokkos/row_sum/teams.hpp"

namespace crosswarp::kokkos {

/// The sums of several rows, reduced together.
template <int rows>
struct RowSums {
  float of[rows] = {};

  KOKKOS_INLINE_FUNCTION void operator+=(const RowSums& other) {
    for (int r = 0; r < rows; ++r) of[r] += other.of[r];
  }
  KOKKOS_INLINE_FUNCTION void operator+=(const volatile RowSums& other) volatile {  // which Kokkos 3 asks for
    for (int r = 0; r < rows; ++r) of[r] = of[r] + other.of[r];
  }
};

}  // namespace crosswarp::kokkos

template <int rows>
struct Kokkos::reduction_identity<crosswarp::kokkos::RowSums<rows>> {
  KOKKOS_FORCEINLINE_FUNCTION static crosswarp::kokkos::RowSums<rows> sum() { return {}; }
};

namespace crosswarp::kokkos {
namespace row_sum_teams_per_rows {

/// One row per thread: rows of any length and alignment.
void sum_rows(const Queue& queue, const RowSum::Args& args, int threads) {
  const auto in = array(args.in);
  const auto out = array(args.out);
  const std::size_t rows = args.rows(), columns = args.columns;
  const int lanes = lanes_for(queue, columns);
  const auto per_team = static_cast<std::size_t>(team_size(threads, lanes));
  Kokkos::parallel_for(
      teams(queue, (rows + per_team - 1) / per_team, threads, lanes), KOKKOS_LAMBDA(const Team& team) {
        const std::size_t row =
            static_cast<std::size_t>(team.league_rank()) * per_team + static_cast<std::size_t>(team.team_rank());
        if (row >= rows) return;
        const PartSum part(in.data() + row * columns, columns);
        float sum = 0;
        Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(team, part.iterations()), part, sum);
        Kokkos::single(Kokkos::PerThread(team), [&] { out(row) = sum; });
      });
}

/// Eight rows per thread at once; each lane loads one vector of each. Rows are aligned vectors.
void sum_short_rows(const Queue& queue, const RowSum::Args& args, int threads) {
  constexpr int at_once = 8;
  const auto in = array(args.in);
  const auto out = array(args.out);
  const std::size_t rows = args.rows(), vectors = args.columns / 4;
  const int lanes = lanes_for(queue, vectors);
  const auto stride = static_cast<std::size_t>(team_size(threads, lanes)), per_team = stride * at_once;
  Kokkos::parallel_for(
      teams(queue, (rows + per_team - 1) / per_team, threads, lanes), KOKKOS_LAMBDA(const Team& team) {
        // A thread's rows are `stride` apart, so that neighbouring threads load neighbouring rows.
        const std::size_t first =
            static_cast<std::size_t>(team.league_rank()) * per_team + static_cast<std::size_t>(team.team_rank());
        const auto* const from = reinterpret_cast<const Four*>(in.data());
        RowSums<at_once> sums;
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(team, vectors),
            [&](std::size_t i, RowSums<at_once>& of_lane) {
              Four v[at_once];
              for (int r = 0; r < at_once; ++r) {
                const std::size_t row = first + static_cast<std::size_t>(r) * stride;
                v[r] = row < rows ? from[row * vectors + i] : Four{0, 0, 0, 0};
              }
              for (int r = 0; r < at_once; ++r) of_lane.of[r] += sum_of(v[r]);
            },
            sums);
        Kokkos::single(Kokkos::PerThread(team), [&] {
          for (int r = 0; r < at_once; ++r)
            if (const std::size_t row = first + static_cast<std::size_t>(r) * stride; row < rows) out(row) = sums.of[r];
        });
      });
}

void sum(const Queue& queue, const RowSum::Args& args, int threads) {
  if (args.rows() == 0) return;
  const bool are_vectors =
      args.columns % 4 == 0 && reinterpret_cast<std::uintptr_t>(args.in.data()) % sizeof(Four) == 0;
  if (args.columns <= 512 && are_vectors) return sum_short_rows(queue, args, threads);
  sum_rows(queue, args, threads);
}

void launch_tuned(const Queue& queue, const RowSum::Args& args) { sum(queue, args, queue.tuning["threads"]); }

const Register<RowSum> variant{{
    .idea = "several rows per team, a row per thread and its lanes, eight short ones at once",
    .bound_by = "memory bandwidth for many rows",
    .improves = "team_vector",
    .counterparts = {"warp_per_row", "rows_per_warp"},
    .gaps = {{GapClass::tuning,
              "sums are shuffled through a few lanes, of which one stores them: a sector for each row",
              {"instructions", "dram_throughput"},
              [](const Point& point) { return point.integer("n") < 1024; }},
             {GapClass::tuning,
              "a team's nested loops branch more often than unrolled loads, which a matrix this small does not hide",
              {"instructions", "branches", "dram_throughput"},
              [](const Point& point) {
                return point.integer("n") >= 1024 && point.integer("m") * point.integer("n") <= 1 << 23;
              }}},
    .tunings = {{{{"threads", 128}}}, {{{"threads", 256}}}},
    .launch = launch_tuned,
}};

}  // namespace row_sum_teams_per_rows
}  // namespace crosswarp::kokkos
