// Square tiles of A and B in team scratch memory, one thread per element of C. Bound by scratch-memory loads: two per
// multiply-add. Reaches 0.57 of the rate of CUDA's shared_tile on an H200: 47 registers instead of 32 leave room for
// one team of 1024 threads, not two, and shared memory takes 1.3 times the wavefronts, because nvcc vectorizes some of
// the loads in the CUDA kernel.
#include "backends/kokkos/team_tiles.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr int side = 32, threads = side * side, elements = threads / team_threads<threads>;

struct GemmTile {
  const float *a, *b;
  float* c;
  std::size_t m, n, k, tiles_n;

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    float* const a_tile = scratch<float>(team, side * side);
    float* const b_tile = scratch<float>(team, side * side);
    const auto tile = static_cast<std::size_t>(team.league_rank());
    const std::size_t first_row = tile / tiles_n * side, first_column = tile % tiles_n * side;
    float acc[elements] = {};
    for (std::size_t k0 = 0; k0 < k; k0 += side) {
      for (int e = 0; e < elements; ++e) {
        const int i = e * team.team_size() + team.team_rank(), row_in_tile = i / side, column_in_tile = i % side;
        const std::size_t row = first_row + row_in_tile, a_column = k0 + column_in_tile;
        a_tile[i] = row < m && a_column < k ? a[row * k + a_column] : 0;
        const std::size_t b_row = k0 + row_in_tile, column = first_column + column_in_tile;
        b_tile[i] = b_row < k && column < n ? b[b_row * n + column] : 0;
      }
      team.team_barrier();
      for (int e = 0; e < elements; ++e) {
        const int i = e * team.team_size() + team.team_rank(), row = i / side, column = i % side;
        for (int l = 0; l < side; ++l) acc[e] += a_tile[row * side + l] * b_tile[l * side + column];
      }
      team.team_barrier();
    }
    for (int e = 0; e < elements; ++e) {
      const int i = e * team.team_size() + team.team_rank();
      const std::size_t row = first_row + i / side, column = first_column + i % side;
      if (row < m && column < n) c[row * n + column] = acc[e];
    }
  }
};

void gemm(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  const std::size_t tiles_n = pieces_of(args.n, side), tiles = tiles_n * pieces_of(args.m, side);
  constexpr std::size_t bytes = 2 * side * side * sizeof(float) + 2 * alignof(Four);
  Kokkos::parallel_for(teams_of_tiles<threads, 1>(queue, tiles, bytes),
                       GemmTile{args.a.data(), args.b.data(), args.c.data(), args.m, args.n, args.k, tiles_n});
}

const Register<MatmulF32> variant{{
    .idea = "square tiles of A and B in team scratch, one thread per element of C",
    .bound_by = "scratch-memory loads: two per multiply-add",
    .improves = "mdrange_naive",
    .counterparts = {"shared_tile"},
    .gaps = {{GapClass::tuning,
              "more registers leave room for one team of 1024 threads, not two; narrower loads from scratch memory",
              {"registers", "achieved_occupancy", "shared_load_wavefronts"}}},
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::kokkos
