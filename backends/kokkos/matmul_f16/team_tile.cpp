// Square tiles of A and B in the scratch memory of a team, widened on their way, a thread an element of C. Bound by
// scratch memory, with two loads for each multiply-add: matrix units have no name in Kokkos. On an H200 at 2048 that
// costs a factor of 21 against wmma_shared, which is as simple, and of 125 against the best.
#include "backends/kokkos/matmul_f16/half_element.hpp"
#include "backends/kokkos/product_tiles.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr int side = 32, threads = side * side, elements = threads / team_threads<threads>;

template <class T, class To>
struct MultiplyTile {
  const T *a, *b;
  To* c;
  std::size_t m, n, k, across;
  bool b_transposed;

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    constexpr int pitch = side + 1;  // so that a transposed tile of B is stored without bank conflicts
    float* const of_a = scratch<float>(team, side * side);
    float* const of_b = scratch<float>(team, side * pitch);
    const auto tile = static_cast<std::size_t>(team.league_rank());
    const std::size_t first_row = tile / across * side, first_column = tile % across * side;
    float sums[elements] = {};
    for (std::size_t at = 0; at < k; at += side) {
      for (int e = 0; e < elements; ++e) {
        const int i = e * team.team_size() + team.team_rank(), line = i / side, place = i % side;
        const std::size_t row = first_row + line, of_row = at + place;
        of_a[i] = row < m && of_row < k ? widened(a[row * k + of_row]) : 0;
        // Along the lines of B as they lie.
        const int l = b_transposed ? place : line, j = b_transposed ? line : place;
        const std::size_t of_column = at + l, column = first_column + j;
        const bool is_there = of_column < k && column < n;
        of_b[l * pitch + j] = is_there ? widened(b[b_transposed ? column * k + of_column : of_column * n + column]) : 0;
      }
      team.team_barrier();
      for (int e = 0; e < elements; ++e) {
        const int i = e * team.team_size() + team.team_rank(), row = i / side, column = i % side;
        for (int l = 0; l < side; ++l) sums[e] += of_a[row * side + l] * of_b[l * pitch + column];
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

void multiply(const Queue& queue, const MatmulF16::Args& args) {
  if (args.m == 0 || args.n == 0) return;
  const std::size_t across = pieces_of(args.n, side), tiles = across * pieces_of(args.m, side);
  constexpr std::size_t bytes = (2 * side + 1) * side * sizeof(float) + 2 * alignof(Four);
  with_types(args, [&]<class T, class To>() {
    Kokkos::parallel_for(
        teams_of_tiles<threads, 1>(queue, tiles, bytes),
        MultiplyTile<T, To>{reinterpret_cast<const T*>(args.a.data()), reinterpret_cast<const T*>(args.b.data()),
                            args.c_as<To>(), args.m, args.n, args.k, across, args.b_transposed});
  });
}

const Register<MatmulF16> variant{{
    .idea = "square tiles in team scratch, widened on their way, a thread an element: bound by scratch memory's loads",
    .improves = "naive",
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::kokkos
