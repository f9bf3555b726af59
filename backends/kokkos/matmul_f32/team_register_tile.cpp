// A tile of 128 × 128 per team, 8 × 8 elements of C in registers per thread; two stages of A and B in scratch memory,
// the next k-tile passing through registers. Bound by the issue of multiply-adds, and of the copies through registers.
// On an H200 1.2 times as fast as CUDA's warp_tile, which has the same tile and one stage. Takes 1.15 times as long as
// CUDA's adaptive, whose threads have 8 × 16 elements: a tenth more instructions, 69 against 78 % of the multiply-adds'
// peak.
#include "backends/kokkos/team_tiles.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr int tile = 128, tile_k = 8, threads = 256, each = threads / team_threads<threads>;
constexpr int a_pitch = tile + 4;  // spreads a thread's four transposed stores over the banks
constexpr int a_floats = tile_k * a_pitch, stage_floats = a_floats + tile_k * tile;

KOKKOS_INLINE_FUNCTION const Four& four_at(const float* from) { return *reinterpret_cast<const Four*>(from); }

/// Elements `at` … `at` + 3 of an array of `size`, zeros beyond its end. `aligned`: to 16 bytes.
template <bool aligned>
KOKKOS_INLINE_FUNCTION Four load_padded(const float* from, std::size_t at, std::size_t size) {
  if (aligned) return at < size ? four_at(from + at) : Four{0, 0, 0, 0};
  return {at < size ? from[at] : 0, at + 1 < size ? from[at + 1] : 0, at + 2 < size ? from[at + 2] : 0,
          at + 3 < size ? from[at + 3] : 0};
}

/// A thread's first row and column in the tile, in warp tiles of 64 × 32. It has squares of 4 × 4 elements, half a warp
/// tile apart, so that the loads of 32 threads are free of bank conflicts.
struct ThreadCoord {
  int row, column;
  KOKKOS_INLINE_FUNCTION explicit ThreadCoord(int thread)
      : row(thread / 32 / 4 * 64 + (thread >> 1 & 7) * 4),
        column(thread / 32 % 4 * 32 + ((thread >> 3 & 2) | (thread & 1)) * 4) {}
};

template <bool aligned>
struct GemmTile {
  const float *a, *b;
  float* c;
  std::size_t m, n, k, tiles_n;

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    float* const shared = scratch<float>(team, 2 * stage_floats);
    const auto tile_index = static_cast<std::size_t>(team.league_rank());
    const std::size_t first_row = tile_index / tiles_n * tile, first_column = tile_index % tiles_n * tile;
    const int first = team.team_rank(), step = team.team_size();
    Four a_next[each], b_next[each];
    const auto load = [&](std::size_t k0) {
      for (int e = 0; e < each; ++e) {
        const int i = first + e * step;
        const std::size_t a_row = first_row + i / 2, b_row = k0 + i / 32;
        a_next[e] = load_padded<aligned>(a + a_row * k, k0 + i % 2 * 4, a_row < m ? k : 0);
        b_next[e] = load_padded<aligned>(b + b_row * n, first_column + i % 32 * 4, b_row < k ? n : 0);
      }
    };
    const auto store = [&](float* stage) {
      for (int e = 0; e < each; ++e) {
        const int i = first + e * step;
        float* const a_column = stage + i % 2 * 4 * a_pitch + i / 2;
        a_column[0] = a_next[e].x;
        a_column[a_pitch] = a_next[e].y;
        a_column[2 * a_pitch] = a_next[e].z;
        a_column[3 * a_pitch] = a_next[e].w;
        *reinterpret_cast<Four*>(stage + a_floats + i * 4) = b_next[e];
      }
    };
    float acc[each][8][8] = {};
    if (k > 0) {
      load(0);
      store(shared);
    }
    team.team_barrier();
    int current = 0;
    for (std::size_t k0 = 0; k0 < k; k0 += tile_k) {
      const bool has_next = k0 + tile_k < k;
      if (has_next) load(k0 + tile_k);
      const float* const stage = shared + current * stage_floats;
      for (int e = 0; e < each; ++e) {
        const ThreadCoord thread(first + e * step);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (int l = 0; l < tile_k; ++l) {
          const float* const a_from = stage + l * a_pitch + thread.row;
          const float* const b_from = stage + a_floats + l * tile + thread.column;
          const Four a4[2] = {four_at(a_from), four_at(a_from + 32)};
          const Four b4[2] = {four_at(b_from), four_at(b_from + 16)};
          const float a_fragment[8] = {a4[0].x, a4[0].y, a4[0].z, a4[0].w, a4[1].x, a4[1].y, a4[1].z, a4[1].w};
          const float b_fragment[8] = {b4[0].x, b4[0].y, b4[0].z, b4[0].w, b4[1].x, b4[1].y, b4[1].z, b4[1].w};
          for (int i = 0; i < 8; ++i)
            for (int j = 0; j < 8; ++j) acc[e][i][j] += a_fragment[i] * b_fragment[j];
        }
      }
      current = 1 - current;
      if (has_next) store(shared + current * stage_floats);
      team.team_barrier();
    }
    for (int e = 0; e < each; ++e) {
      const ThreadCoord thread(first + e * step);
      for (int i = 0; i < 8; ++i)
        for (int h = 0; h < 2; ++h) {
          const std::size_t row = first_row + thread.row + i / 4 * 32 + i % 4;
          const std::size_t column = first_column + thread.column + h * 16;
          const float* const from = acc[e][i] + 4 * h;
          if (row >= m) continue;
          if (aligned) {
            if (column < n) *reinterpret_cast<Four*>(c + row * n + column) = {from[0], from[1], from[2], from[3]};
          } else {
            for (int j = 0; j < 4; ++j)
              if (column + j < n) c[row * n + column + j] = from[j];
          }
        }
    }
  }
};

template <bool aligned>
void launch(const Queue& queue, const MatmulF32::Args& args) {
  const std::size_t tiles_n = pieces_of(args.n, tile), tiles = tiles_n * pieces_of(args.m, tile);
  constexpr std::size_t bytes = 2 * stage_floats * sizeof(float) + alignof(Four);
  Kokkos::parallel_for(teams_of_tiles<threads, 2>(queue, tiles, bytes),
                       GemmTile<aligned>{args.a.data(), args.b.data(), args.c.data(), args.m, args.n, args.k, tiles_n});
}

void gemm(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  if (args.n % 4 == 0 && args.k % 4 == 0) return launch<true>(queue, args);  // rows start on 16-byte boundaries
  launch<false>(queue, args);
}

const Register<MatmulF32> variant{{
    .idea = "8 x 8 elements per thread, two stages in team scratch, the next k-tile through registers",
    .bound_by = "issue of multiply-adds",
    .improves = "team_tile",
    .counterparts = {"double_buffer"},
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::kokkos
