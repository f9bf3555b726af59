// Tiles of short rows of any alignment: flat 16-byte loads into team scratch, then a thread or a few per row add its
// elements there; neighbouring rows are stored by neighbouring threads. Bound by memory bandwidth, and by the barrier
// between loading and adding. Threads index rows and elements themselves: nested ranges over one lane cost registers,
// with which loads no longer were in flight together.
#include "backends/kokkos/row_sum/dispatch.hpp"
#include "backends/kokkos/row_sum/teams.hpp"

namespace crosswarp::kokkos {
namespace row_sum_scratch_tile {

constexpr int threads = 256;
constexpr int loads = 4;                   // 16-byte loads in flight per thread
constexpr int tile = 4 * threads * loads;  // elements of a tile, at most
constexpr int resident = 5;                // teams per multiprocessor that leave registers for the loads
static_assert(max_columns <= tile);

/// How a row's `lanes` threads walk its steps of `lanes` elements: from step (row >> shift) & mask on, and around. Without that,
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

/// Elements 0 … elements - 1 of `in` to `words`, whose word `head` is aligned as in[head] is.
KOKKOS_INLINE_FUNCTION void copy_tile(const float* in, int elements, int head, int thread, float* words) {
  if constexpr (is_asynchronous) {  // one pass: a tile has `loads` vectors per thread, and up to three elements per end
    const int vectors = (elements - head) / 4;
    const auto* const from = reinterpret_cast<const Four*>(in + head) + thread;
    auto* const to = reinterpret_cast<Four*>(words + head) + thread;
    const int end = thread < 4 ? thread : head + 4 * vectors + thread - 4;
    const bool has_end = end < (thread < 4 ? head : elements);
    float of_end = 0;
    Four v[loads];
    for (int u = 0; u < loads; ++u)
      if (thread + u * threads < vectors) v[u] = from[u * threads];
    if (has_end) of_end = in[end];
    for (int u = 0; u < loads; ++u)
      if (thread + u * threads < vectors) to[u * threads] = v[u];
    if (has_end) words[end] = of_end;
  } else {
    for (int i = 0; i < elements; ++i) words[i] = in[i];
  }
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
  const int lanes = threads_per_row<threads>(tile_rows, columns, 16);
  const Rotation rotation(columns, lanes);
  const float* const in = args.in.data();
  float* const out = args.out.data();
  using Policy = BoundTeams<threads, resident>;
  auto policy = bound_teams<threads, resident>(queue, pieces_of(rows, static_cast<std::size_t>(tile_rows)), 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>((tile + 4 + threads) * sizeof(float) + sizeof(Four))));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Policy::member_type& team) {
        constexpr int stride = team_threads<threads>;
        const int thread = team.team_rank();
        const std::size_t first = static_cast<std::size_t>(team.league_rank()) * static_cast<std::size_t>(tile_rows);
        const int count =
            rows - first < static_cast<std::size_t>(tile_rows) ? static_cast<int>(rows - first) : tile_rows;
        const int elements = count * columns;
        const float* const from = in + first * static_cast<std::size_t>(columns);
        const int misaligned = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % sizeof(Four) / sizeof(float));
        const int until_aligned = (4 - misaligned) % 4, head = until_aligned < elements ? until_aligned : elements;
        float* const memory = scratch<float>(team, tile + 4 + threads);
        float* const words = memory + misaligned;  // so that aligned vectors stay aligned
        copy_tile(from, elements, head, thread, words);
        team.team_barrier();
        if (lanes == 1) {
          for (int row = thread; row < count; row += stride) {
            const float* const of_row = words + row * columns;
            const int start = rotation.first_step(row);
            out[first + static_cast<std::size_t>(row)] =
                strided_sum(of_row, start, columns, 1) + strided_sum(of_row, 0, start, 1);
          }
          return;
        }
        float* const parts = memory + tile + 4;  // of rows, one per thread
        if (thread < count * lanes) {
          const int row = thread / lanes, lane = thread % lanes;
          const float* const of_row = words + row * columns;
          const int start = rotation.first_step(row) * lanes;
          parts[thread] = strided_sum(of_row, start + lane, columns, lanes) + strided_sum(of_row, lane, start, lanes);
        }
        team.team_barrier();
        if (thread < count)
          out[first + static_cast<std::size_t>(thread)] = strided_sum(parts + thread * lanes, 0, lanes, 1);
      });
}

const Register<RowSum> variant{{
    .idea = "tiles of short rows copied into team scratch by 16-byte loads, then a thread or a few per row",
    .bound_by = "memory bandwidth, and the barrier between loading and adding",
    .improves = "teams_per_rows",
    .counterparts = {"rows_per_block"},
    .applies = [](const Point& point) { return point.integer("n") <= static_cast<std::int64_t>(max_columns); },
    .launch = sum,
}};

}  // namespace row_sum_scratch_tile
}  // namespace crosswarp::kokkos
