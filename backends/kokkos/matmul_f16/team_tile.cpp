// Square tiles of A and B in team scratch memory, widened to float as they are loaded, one thread for each element of
// C. Bound by scratch memory, two loads for each multiply-add: Kokkos cannot reach matrix units. On H200 at 2048
// CUDA's wmma_shared, which is as simple, is 20 times as fast, and the best 130 times.
#include "backends/kokkos/matmul_f16/half_element.hpp"
#include "backends/kokkos/team_tiles.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr int side = 32, threads = side * side, elements = threads / team_threads<threads>;

template <class T, class To>
struct GemmTile {
  const T *a, *b;
  To* c;
  std::size_t m, n, k, tile_columns;
  bool b_transposed;

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    constexpr int pitch = side + 1;  // so that a transposed tile of B is stored without bank conflicts
    float* const tile_a = scratch<float>(team, side * side);
    float* const tile_b = scratch<float>(team, side * pitch);
    const auto tile = static_cast<std::size_t>(team.league_rank());
    const std::size_t first_row = tile / tile_columns * side, first_column = tile % tile_columns * side;
    float sums[elements] = {};
    for (std::size_t first_k = 0; first_k < k; first_k += side) {
      for (int e = 0; e < elements; ++e) {
        const int i = e * team.team_size() + team.team_rank(), major = i / side, minor = i % side;
        const std::size_t row = first_row + major, a_k = first_k + minor;
        tile_a[i] = row < m && a_k < k ? widened(a[row * k + a_k]) : 0;
        // Neighbouring threads load neighbouring elements of B in either layout.
        const int l = b_transposed ? minor : major, j = b_transposed ? major : minor;
        const std::size_t b_k = first_k + l, column = first_column + j;
        const bool is_inside = b_k < k && column < n;
        tile_b[l * pitch + j] = is_inside ? widened(b[b_transposed ? column * k + b_k : b_k * n + column]) : 0;
      }
      team.team_barrier();
      for (int e = 0; e < elements; ++e) {
        const int i = e * team.team_size() + team.team_rank(), row = i / side, column = i % side;
        for (int l = 0; l < side; ++l) sums[e] += tile_a[row * side + l] * tile_b[l * pitch + column];
      }
      team.team_barrier();
    }
    for (int e = 0; e < elements; ++e) {
      const int i = e * team.team_size() + team.team_rank();
      const std::size_t row = first_row + i / side, column = first_column + i % side;
      if (row < m && column < n) c[row * n + column] = narrowed<To>(sums[e]);
    }
  }
};

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (args.m == 0 || args.n == 0) return;
  const std::size_t tile_columns = pieces_of(args.n, side), tiles = tile_columns * pieces_of(args.m, side);
  constexpr std::size_t bytes = (2 * side + 1) * side * sizeof(float) + 2 * alignof(Four);
  with_types(args, [&]<class T, class To>() {
    Kokkos::parallel_for(
        teams_of_tiles<threads, 1>(queue, tiles, bytes),
        GemmTile<T, To>{reinterpret_cast<const T*>(args.a.data()), reinterpret_cast<const T*>(args.b.data()),
                        args.c_as<To>(), args.m, args.n, args.k, tile_columns, args.b_transposed});
  });
}

const Register<MatmulF16> variant{{
    .idea = "square tiles in team scratch memory, one thread for each element of C",
    .bound_by = "loads from scratch memory",
    .improves = "naive",
    .gaps = {{GapClass::no_api,
              "Kokkos has no matrix instructions: fp32 multiply-adds in place of tensor cores",
              {"tensor_instructions", "instructions"}}},
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::kokkos
