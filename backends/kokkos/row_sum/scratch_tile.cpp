// Tiles of short rows of any alignment: flat 16-byte loads into team scratch, then a thread or a few lanes per row add
// its elements there; neighbouring rows are stored by neighbouring threads. Bound by memory bandwidth, and by the
// barrier between loading and adding.
#include "backends/kokkos/row_sum/dispatch.hpp"
#include "backends/kokkos/row_sum/teams.hpp"

namespace crosswarp::kokkos {
namespace row_sum_scratch_tile {

constexpr int threads = 256;
constexpr int loads = 4;                   // 16-byte loads in flight per thread
constexpr int tile = 4 * threads * loads;  // elements of a tile, at most
static_assert(max_columns <= tile);

/// How a row's lanes walk its steps of `lanes` elements: from step (row >> shift) & mask on, and around. Without that,
/// rows of an even number of steps would meet in the same of scratch memory's 32 banks.
struct Rotation {
  int shift, mask;

  Rotation(int columns, int lanes) : shift(0), mask(0) {
    if (columns % lanes != 0) return;
    int groups = 32 / lanes, steps = columns / lanes;  // of banks; of a row
    for (; groups > 1; groups /= 2) ++shift;
    for (groups = 32 / lanes; groups > 1 && steps % 2 == 0; groups /= 2, steps /= 2, --shift) mask = 2 * mask + 1;
  }
  KOKKOS_INLINE_FUNCTION int first_step(int row) const { return row >> shift & mask; }
};

/// The sum of from[first], from[first + stride] … below `end`.
KOKKOS_INLINE_FUNCTION float strided_sum(const float* from, int first, int end, int stride) {
  float a = 0, b = 0;
  for (; first + 3 * stride < end; first += 4 * stride) {
    a += from[first] + from[first + stride];
    b += from[first + 2 * stride] + from[first + 3 * stride];
  }
  for (; first < end; first += stride) a += from[first];
  return a + b;
}

void sum(const Queue& queue, const RowSum::Args& args) {
  if (args.rows() == 0) return;
  const std::size_t rows = args.rows();
  if (args.columns == 0) return Kokkos::deep_copy(queue.exec, array(args.out), 0.0f);
  const int columns = static_cast<int>(args.columns);
  // Fewer rows per team if there are few: a device that is full, with short teams, hides more of a load's latency.
  const auto units = static_cast<std::size_t>(std::max(queue.device.compute_units, 1));
  int tile_rows = static_cast<int>(
      std::clamp<std::size_t>(pieces_of(rows, 4 * units), 1, static_cast<std::size_t>(tile / columns)));
  if (tile_rows > 4) tile_rows -= tile_rows % 4;  // all tiles are aligned as the first is
  int lanes = 1;
  while (lanes < row_lanes && 2 * lanes * tile_rows <= threads && lanes < columns) lanes *= 2;
  const Rotation rotation(columns, lanes);
  const float* const in = args.in.data();
  const auto out = array(args.out);
  using Policy = BoundTeams<threads, 8>;
  auto policy = bound_teams<threads, 8>(queue, pieces_of(rows, static_cast<std::size_t>(tile_rows)), lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>((tile + 4) * sizeof(float) + sizeof(Four))));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Policy::member_type& team) {
        constexpr int stride = team_threads<threads>;
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * static_cast<std::size_t>(tile_rows);
        const int count =
            rows - first < static_cast<std::size_t>(tile_rows) ? static_cast<int>(rows - first) : tile_rows;
        const int elements = count * columns;
        const RowSplit split(in + first * static_cast<std::size_t>(columns), static_cast<std::size_t>(elements));
        const int head = static_cast<int>(split.head), vectors = static_cast<int>(split.count);
        // Element i goes to word (4 - head) % 4 + i, so that aligned vectors stay aligned.
        float* const words = scratch<float>(team, tile + 4) + (4 - head) % 4;
        const Four* const from = split.vectors();
        Four* const to = reinterpret_cast<Four*>(words + head);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, stride), [&](int thread) {
          for (int base = thread; base < vectors; base += stride * loads) {  // at most once, on GPUs
            Four v[loads];
            for (int u = 0; u < loads; ++u)
              if (base + u * stride < vectors) v[u] = from[base + u * stride];
            for (int u = 0; u < loads; ++u)
              if (base + u * stride < vectors) to[base + u * stride] = v[u];
          }
          for (int i = thread; i < head; i += stride) words[i] = split.in[i];
          for (int i = head + 4 * vectors + thread; i < elements; i += stride) words[i] = split.in[i];
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int row) {
          const float* const of_row = words + row * columns;
          const int start = rotation.first_step(row) * lanes;
          float sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, lanes),
              [&](int lane, float& of_lane) {
                of_lane += strided_sum(of_row, start + lane, columns, lanes) + strided_sum(of_row, lane, start, lanes);
              },
              sum);
          Kokkos::single(Kokkos::PerThread(team), [&] { out(first + static_cast<std::size_t>(row)) = sum; });
        });
      });
}

const Register<RowSum> variant{{
    .idea = "tiles of short rows copied into team scratch by 16-byte loads, then a thread or a few lanes per row",
    .bound_by = "memory bandwidth, and the barrier between loading and adding",
    .improves = "teams_per_rows",
    .counterparts = {"rows_per_block"},
    .applies = [](const Point& point) { return point.integer("n") <= static_cast<std::int64_t>(max_columns); },
    .launch = sum,
}};

}  // namespace row_sum_scratch_tile
}  // namespace crosswarp::kokkos
