// A team a tile of 128 × 128, a thread 8 × 8 elements of C, in registers since their number is known to the compiler;
// two stages of A and B in scratch memory, the next one on its way through registers. Bound by issuing multiply-adds,
// and by what the stages' way through registers takes beside them. On an H200 ahead of CUDA's warp_tile, whose tile it
// has, by 1.2, for its two stages; 1.15 times the time of CUDA's adaptive, whose threads have 8 × 16 elements: a tenth
// more instructions, 69 against 78 % of the multiply-adds' peak.
#include "backends/kokkos/team_tiles.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr int side = 128, depth = 8, threads = 256, each = threads / team_threads<threads>;
constexpr int line_of_a = side + 4;  // so that a thread's four stores of A go into other banks
constexpr int floats_of_a = depth * line_of_a, floats_of_stage = floats_of_a + depth * side;

KOKKOS_INLINE_FUNCTION const Four& four_at(const float* from) { return *reinterpret_cast<const Four*>(from); }

/// from[at] … from[at + 3] of `end` elements, zeros beyond. `vectors`: aligned to 16 bytes.
template <bool vectors>
KOKKOS_INLINE_FUNCTION Four load_four(const float* from, std::size_t at, std::size_t end) {
  if (vectors) return at < end ? four_at(from + at) : Four{0, 0, 0, 0};
  return {at < end ? from[at] : 0, at + 1 < end ? from[at + 1] : 0, at + 2 < end ? from[at + 2] : 0,
          at + 3 < end ? from[at + 3] : 0};
}

/// Where a thread's elements are in the tile: four by four, two such squares apart in either direction, placed so that
/// what 32 threads read of a stage is the same or in no other's bank.
struct Place {
  int row, column;
  KOKKOS_INLINE_FUNCTION explicit Place(int thread)
      : row(thread / 32 / 4 * 64 + (thread >> 1 & 7) * 4),
        column(thread / 32 % 4 * 32 + ((thread >> 3 & 2) | (thread & 1)) * 4) {}
};

template <bool vectors>
struct MultiplyTile {
  const float *a, *b;
  float* c;
  std::size_t m, n, k, across;

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    float* const memory = scratch<float>(team, 2 * floats_of_stage);
    const auto tile = static_cast<std::size_t>(team.league_rank());
    const std::size_t first_row = tile / across * side, first_column = tile % across * side;
    const int first = team.team_rank(), step = team.team_size();
    Four next_a[each], next_b[each];
    const auto load = [&](std::size_t at) {
      for (int e = 0; e < each; ++e) {
        const int i = first + e * step;
        const std::size_t a_row = first_row + i / 2, b_row = at + i / 32;
        next_a[e] = load_four<vectors>(a + a_row * k, at + i % 2 * 4, a_row < m ? k : 0);
        next_b[e] = load_four<vectors>(b + b_row * n, first_column + i % 32 * 4, b_row < k ? n : 0);
      }
    };
    const auto store = [&](float* stage) {
      for (int e = 0; e < each; ++e) {
        const int i = first + e * step;
        float* const of_a = stage + i % 2 * 4 * line_of_a + i / 2;
        of_a[0] = next_a[e].x;
        of_a[line_of_a] = next_a[e].y;
        of_a[2 * line_of_a] = next_a[e].z;
        of_a[3 * line_of_a] = next_a[e].w;
        *reinterpret_cast<Four*>(stage + floats_of_a + i * 4) = next_b[e];
      }
    };
    float sums[each][8][8] = {};
    if (k > 0) {
      load(0);
      store(memory);
    }
    team.team_barrier();
    int current = 0;
    for (std::size_t at = 0; at < k; at += depth) {
      const bool goes_on = at + depth < k;
      if (goes_on) load(at + depth);
      const float* const stage = memory + current * floats_of_stage;
      for (int e = 0; e < each; ++e) {
        const Place place(first + e * step);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (int l = 0; l < depth; ++l) {
          const float* const of_a = stage + l * line_of_a + place.row;
          const float* const of_b = stage + floats_of_a + l * side + place.column;
          const Four rows[2] = {four_at(of_a), four_at(of_a + 32)};
          const Four columns[2] = {four_at(of_b), four_at(of_b + 16)};
          const float left[8] = {rows[0].x, rows[0].y, rows[0].z, rows[0].w,
                                 rows[1].x, rows[1].y, rows[1].z, rows[1].w};
          const float right[8] = {columns[0].x, columns[0].y, columns[0].z, columns[0].w,
                                  columns[1].x, columns[1].y, columns[1].z, columns[1].w};
          for (int i = 0; i < 8; ++i)
            for (int j = 0; j < 8; ++j) sums[e][i][j] += left[i] * right[j];
        }
      }
      current = 1 - current;
      if (goes_on) store(memory + current * floats_of_stage);
      team.team_barrier();
    }
    for (int e = 0; e < each; ++e) {
      const Place place(first + e * step);
      for (int i = 0; i < 8; ++i)
        for (int h = 0; h < 2; ++h) {
          const std::size_t row = first_row + place.row + i / 4 * 32 + i % 4;
          const std::size_t column = first_column + place.column + h * 16;
          const float* const of = sums[e][i] + 4 * h;
          if (row >= m) continue;
          if (vectors) {
            if (column < n) *reinterpret_cast<Four*>(c + row * n + column) = {of[0], of[1], of[2], of[3]};
          } else {
            for (int j = 0; j < 4; ++j)
              if (column + j < n) c[row * n + column + j] = of[j];
          }
        }
    }
  }
};

template <bool vectors>
void launch(const Queue& queue, const MatmulF32::Args& args) {
  const std::size_t across = pieces_of(args.n, side), tiles = across * pieces_of(args.m, side);
  constexpr std::size_t bytes = 2 * floats_of_stage * sizeof(float) + alignof(Four);
  Kokkos::parallel_for(
      teams_of_tiles<threads, 2>(queue, tiles, bytes),
      MultiplyTile<vectors>{args.a.data(), args.b.data(), args.c.data(), args.m, args.n, args.k, across});
}

void multiply(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  if (args.n % 4 == 0 && args.k % 4 == 0) return launch<true>(queue, args);  // all rows begin at multiples of 16 bytes
  launch<false>(queue, args);
}

const Register<MatmulF32> variant{{
    .idea = "8 x 8 elements a thread, two stages in team scratch, the next through registers: bound by multiply-adds",
    .improves = "team_tile",
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::kokkos
