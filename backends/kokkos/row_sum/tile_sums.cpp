// Tiles of short aligned rows: flat 16-byte loads, the sum of each vector to team scratch, then a thread or a few lanes
// per row add a row's words. No shuffles for the shortest rows, and neighbouring rows are stored by neighbouring
// threads. Bound by memory bandwidth, and by the barrier between loading and adding. Rows are whole vectors of up to
// 4096 elements.
#include "backends/kokkos/row_sum/dispatch.hpp"
#include "backends/kokkos/row_sum/teams.hpp"

namespace crosswarp::kokkos {
namespace row_sum_tile_sums {

constexpr int threads = 256;
constexpr int loads = 4;               // 16-byte loads in flight per thread
constexpr int tile = threads * loads;  // vectors of a tile, at most
static_assert(max_columns == 4 * tile);

/// Word of scratch for vector i. One word in 33 is padding: else rows of 32, 16, 8 … vectors would meet in a few banks.
KOKKOS_INLINE_FUNCTION constexpr int padded(int i) { return i + i / 32; }

/// Vectors that a thread adds in a row: more lanes would cost more shuffles than they save additions.
constexpr std::size_t vectors_per_lane = 8;

void sum(const Queue& queue, const RowSum::Args& args) {
  if (args.rows() == 0) return;
  const std::size_t rows = args.rows();
  if (args.columns == 0) return Kokkos::deep_copy(queue.exec, array(args.out), 0.0f);
  const int vectors = static_cast<int>(args.columns / 4);
  // Fewer rows per team if there are few: a device that is full, with short teams, hides more of a load's latency.
  const auto units = static_cast<std::size_t>(std::max(queue.device.compute_units, 1));
  const int tile_rows = static_cast<int>(
      std::clamp<std::size_t>(pieces_of(rows, 4 * units), 1, static_cast<std::size_t>(tile / vectors)));
  int lanes = 1;
  while (lanes < row_lanes &&
         (vectors > lanes * static_cast<int>(vectors_per_lane) || 2 * lanes * tile_rows <= threads) && lanes < vectors)
    lanes *= 2;
  const auto* const in = reinterpret_cast<const Four*>(args.in.data());
  const auto out = array(args.out);
  using Policy = BoundTeams<threads, 8>;
  auto policy = bound_teams<threads, 8>(queue, pieces_of(rows, static_cast<std::size_t>(tile_rows)), lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(padded(tile) * sizeof(float) + sizeof(Four))));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Policy::member_type& team) {
        constexpr int stride = team_threads<threads>;
        float* const sums = scratch<float>(team, padded(tile));
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * static_cast<std::size_t>(tile_rows);
        const int count =
            rows - first < static_cast<std::size_t>(tile_rows) ? static_cast<int>(rows - first) : tile_rows;
        const Four* const from = in + first * static_cast<std::size_t>(vectors);
        const int all = count * vectors;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, stride), [&](int thread) {
          for (int base = thread; base < tile; base += stride * loads) {  // once, on GPUs
            Four v[loads];
            for (int u = 0; u < loads; ++u) v[u] = base + u * stride < all ? from[base + u * stride] : Four{0, 0, 0, 0};
            for (int u = 0; u < loads; ++u) sums[padded(base + u * stride)] = sum_of(v[u]);
          }
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int row) {
          float sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, vectors),
              [&](int i, float& of_lane) { of_lane += sums[padded(row * vectors + i)]; }, sum);
          Kokkos::single(Kokkos::PerThread(team), [&] { out(first + static_cast<std::size_t>(row)) = sum; });
        });
      });
}

bool applies(const Point& point) {
  return point.integer("n") % 4 == 0 && point.integer("offset") % 4 == 0 &&
         point.integer("n") <= static_cast<std::int64_t>(max_columns);
}

const Register<RowSum> variant{{
    .idea =
        "tiles of short aligned rows: the sums of 16-byte loads in team scratch, then a thread or a few lanes per row",
    .bound_by = "memory bandwidth, and the barrier between loading and adding",
    .improves = "teams_per_rows",
    .counterparts = {"rows_per_warp"},
    .applies = applies,
    .launch = sum,
}};

}  // namespace row_sum_tile_sums
}  // namespace crosswarp::kokkos
