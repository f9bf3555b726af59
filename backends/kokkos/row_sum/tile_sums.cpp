// Tiles of short aligned rows: flat 16-byte loads, the sum of each vector to team scratch, then a thread or a few per
// row add a row's words. No shuffles, and neighbouring rows are stored by neighbouring threads. Bound by memory
// bandwidth, and by the barrier between loading and adding. Rows are whole vectors of up to 4096 elements.
#include "backends/kokkos/row_sum/dispatch.hpp"
#include "backends/kokkos/row_sum/teams.hpp"

namespace crosswarp::kokkos {
namespace row_sum_tile_sums {

constexpr int threads = 256;
constexpr int loads = 8;               // 16-byte loads in flight per thread
constexpr int tile = threads * loads;  // vectors of a tile, at most
constexpr int resident = 4;            // teams per multiprocessor that leave registers for the loads
static_assert(max_columns <= 4 * tile);

/// Word of scratch for vector i. One word in 33 is padding: else rows of 32, 16, 8 … vectors would meet in a few banks.
KOKKOS_INLINE_FUNCTION constexpr int padded(int i) { return i + (i >> 5); }

/// The sums of vectors 0 … count - 1 to their words.
KOKKOS_INLINE_FUNCTION void sum_vectors(const Four* from, int count, int thread, float* sums) {
  if constexpr (is_asynchronous) {  // one pass: a tile has `loads` vectors per thread
    static_assert(threads % 32 == 0);
    Four v[loads];
    for (int u = 0; u < loads; ++u)
      v[u] = thread + u * threads < count ? from[thread + u * threads] : Four{0, 0, 0, 0};
    float* const to = sums + padded(thread);
    for (int u = 0; u < loads; ++u) to[padded(u * threads)] = sum_of(v[u]);
  } else {
    for (int i = 0; i < count; ++i) sums[padded(i)] = sum_of(from[i]);
  }
}

/// The sum of the words of vectors first, first + stride … below `end`.
KOKKOS_INLINE_FUNCTION float strided_sum(const float* sums, int first, int end, int stride) {
  float a = 0, b = 0;
  for (; first + 3 * stride < end; first += 4 * stride) {
    a += sums[padded(first)] + sums[padded(first + stride)];
    b += sums[padded(first + 2 * stride)] + sums[padded(first + 3 * stride)];
  }
  for (; first < end; first += stride) a += sums[padded(first)];
  return a + b;
}

void sum(const Queue& queue, const RowSum::Args& args) {
  if (args.rows() == 0) return;
  const std::size_t rows = args.rows();
  if (args.columns == 0) return Kokkos::deep_copy(queue.exec, array(args.out), 0.0f);
  const int vectors = static_cast<int>(args.columns / 4);
  // Fewer rows per team if there are few: a device that is full, with short teams, hides more of a load's latency.
  const auto units = static_cast<std::size_t>(std::max(queue.device.compute_units, 1));
  const int tile_rows = static_cast<int>(
      std::clamp<std::size_t>(pieces_of(rows, 4 * units), 1, static_cast<std::size_t>(tile / vectors)));
  const int lanes = threads_per_row<threads>(tile_rows, vectors, 8);
  const auto* const in = reinterpret_cast<const Four*>(args.in.data());
  float* const out = args.out.data();
  using Policy = BoundTeams<threads, resident>;
  auto policy = bound_teams<threads, resident>(queue, pieces_of(rows, static_cast<std::size_t>(tile_rows)), 1);
  constexpr int words = padded(tile) + threads;
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(words * sizeof(float) + sizeof(Four))));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Policy::member_type& team) {
        constexpr int stride = team_threads<threads>;
        const int thread = team.team_rank();
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * static_cast<std::size_t>(tile_rows);
        const int count =
            rows - first < static_cast<std::size_t>(tile_rows) ? static_cast<int>(rows - first) : tile_rows;
        float* const sums = scratch<float>(team, padded(tile) + threads);
        sum_vectors(in + first * static_cast<std::size_t>(vectors), count * vectors, thread, sums);
        team.team_barrier();
        if (lanes == 1) {
          for (int row = thread; row < count; row += stride)
            out[first + static_cast<std::size_t>(row)] = strided_sum(sums, row * vectors, (row + 1) * vectors, 1);
          return;
        }
        float* const parts = sums + padded(tile);  // of rows, one per thread
        if (thread < count * lanes) {
          const int row = thread / lanes, lane = thread % lanes;
          parts[thread] = strided_sum(sums, row * vectors + lane, (row + 1) * vectors, lanes);
        }
        team.team_barrier();
        if (thread < count) {
          float sum = 0;
          for (int lane = 0; lane < lanes; ++lane) sum += parts[thread * lanes + lane];
          out[first + static_cast<std::size_t>(thread)] = sum;
        }
      });
}

bool applies(const Point& point) {
  return point.integer("n") % 4 == 0 && point.integer("offset") % 4 == 0 &&
         point.integer("n") <= static_cast<std::int64_t>(max_columns);
}

const Register<RowSum> variant{{
    .idea = "tiles of short aligned rows: the sums of 16-byte loads in team scratch, then a thread or a few per row",
    .bound_by = "memory bandwidth, and the barrier between loading and adding",
    .improves = "teams_per_rows",
    .counterparts = {"rows_per_warp"},
    .applies = applies,
    .launch = sum,
}};

}  // namespace row_sum_tile_sums
}  // namespace crosswarp::kokkos
