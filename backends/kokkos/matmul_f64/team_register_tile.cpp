// A tile of 128 x 64 elements of C per team, 8 x 4 of them in registers per thread; k-tiles of A and B in scratch
// memory. Bound by the issue of double-precision multiply-adds; those of matrix units Kokkos cannot say.
#include "backends/kokkos/gemm_tile.hpp"
#include "experiments/matmul_f64.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr int thread_rows = 8, thread_columns = 4, side = 16, threads = side * side;
constexpr int rows = side * thread_rows, columns = side * thread_columns, tile_k = 8;
constexpr int a_pitch = tile_k + 1;  // doubles; a warp reads two rows, and stores four
constexpr int team_size = team_threads<threads>, each = threads / team_size;

struct GemmTile {
  const double *a, *b;
  double* c;
  std::size_t m, n, k, tiles_n;

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    double* const a_tile = scratch<double>(team, rows * a_pitch);
    double* const b_tile = scratch<double>(team, tile_k * columns);
    const auto tile = static_cast<std::size_t>(team.league_rank());
    const std::size_t first_row = tile / tiles_n * rows, first_column = tile % tiles_n * columns;
    double sums[each][thread_rows][thread_columns] = {};
    for (std::size_t k0 = 0; k0 < k; k0 += tile_k) {
      CROSSWARP_UNROLL
      for (int step = 0; step < rows * tile_k / team_size; ++step) {
        const int i = step * team_size + team.team_rank();
        const std::size_t row = first_row + i / tile_k, l = k0 + i % tile_k;
        a_tile[i / tile_k * a_pitch + i % tile_k] = row < m && l < k ? a[row * k + l] : 0;
      }
      CROSSWARP_UNROLL
      for (int step = 0; step < tile_k * columns / team_size; ++step) {
        const int i = step * team_size + team.team_rank();
        const std::size_t l = k0 + i / columns, column = first_column + i % columns;
        b_tile[i] = l < k && column < n ? b[l * n + column] : 0;
      }
      team.team_barrier();
      for (int e = 0; e < each; ++e) {
        const int thread = e * team_size + team.team_rank(), y = thread / side, x = thread % side;
        CROSSWARP_UNROLL
        for (int l = 0; l < tile_k; ++l) {
          double a_fragment[thread_rows], b_fragment[thread_columns];
          CROSSWARP_UNROLL
          for (int i = 0; i < thread_rows; ++i) a_fragment[i] = a_tile[(y + i * side) * a_pitch + l];
          CROSSWARP_UNROLL
          for (int j = 0; j < thread_columns; ++j) b_fragment[j] = b_tile[l * columns + x + j * side];
          CROSSWARP_UNROLL
          for (int i = 0; i < thread_rows; ++i) CROSSWARP_UNROLL
          for (int j = 0; j < thread_columns; ++j) sums[e][i][j] += a_fragment[i] * b_fragment[j];
        }
      }
      team.team_barrier();
    }
    for (int e = 0; e < each; ++e) {
      const int thread = e * team_size + team.team_rank();
      CROSSWARP_UNROLL
      for (int i = 0; i < thread_rows; ++i) CROSSWARP_UNROLL
      for (int j = 0; j < thread_columns; ++j) {
        const std::size_t row = first_row + thread / side + i * side;
        const std::size_t column = first_column + thread % side + j * side;
        if (row < m && column < n) c[row * n + column] = sums[e][i][j];
      }
    }
  }
};

void gemm(const Queue& queue, const MatmulF64::Args& args) {
  if (args.c.empty()) return;
  const std::size_t tiles_n = pieces_of(args.n, columns), tiles = tiles_n * pieces_of(args.m, rows);
  constexpr std::size_t bytes = (rows * a_pitch + tile_k * columns) * sizeof(double) + 2 * alignof(Four);
  Kokkos::parallel_for(teams_of_tiles<threads, 2>(queue, tiles, bytes),
                       GemmTile{args.a.data(), args.b.data(), args.c.data(), args.m, args.n, args.k, tiles_n});
}

const Register<MatmulF64> variant{{
    .idea = "8 x 4 elements per thread, k-tiles in team scratch",
    .bound_by = "issue of double-precision multiply-adds",
    .improves = "mdrange_naive",
    .counterparts = {"register_tile"},
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::kokkos
