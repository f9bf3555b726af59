// Register tiles of several sizes: up to 16 × 8 elements of C per thread, whose fragments of the next step of k are
// loaded during this one. Bound by the issue of multiply-adds: 128 of them share six 16-byte loads from scratch.
#include <cassert>

#include "backends/kokkos/gemm_tile.hpp"
#include "backends/kokkos/matmul_f32/dispatch.hpp"

namespace crosswarp::kokkos {
namespace matmul_f32_register_tiles {

template <int m, int n, int k, int thread_m, int thread_n, int resident, int slices = 1>
static void launch(const Queue& queue, const GemmProblem<FloatElements>& problem, std::size_t splits, Tile tile) {
  using Sizes = RegisterTile<m, n, k, thread_m, thread_n, resident, slices>;
  [[maybe_unused]] const Shape& shape = shapes[tile];
  assert(shape.m == m && shape.n == n && shape.k == k && shape.threads == Sizes::threads && shape.resident == resident);
  launch_tiles<Sizes, FloatElements>(queue, problem, splits);
}

void gemm(const Queue& queue, const MatmulF32::Args& args, Tile tile, std::size_t splits, float* c) {
  const GemmProblem<FloatElements> problem{args.a.data(), args.b.data(), c, args.m, args.n, args.k, args.k};
  switch (tile) {
    case large:
      return launch<128, 128, 16, 16, 8, 2>(queue, problem, splits, tile);
    case medium:
      return launch<128, 64, 8, 8, 8, 4>(queue, problem, splits, tile);
    case flat:
      return launch<64, 128, 8, 8, 8, 4>(queue, problem, splits, tile);
    case small:
      return launch<64, 64, 8, 8, 8, 8>(queue, problem, splits, tile);
    case small_sliced:
      return launch<64, 64, 16, 8, 8, 2, 4>(queue, problem, splits, tile);
    case smallest_sliced:
      return launch<32, 32, 32, 4, 4, 2, 4>(queue, problem, splits, tile);
  }
}

static void launch_tuned(const Queue& queue, const MatmulF32::Args& args) {
  if (!args.c.empty()) gemm(queue, args, static_cast<Tile>(queue.tuning["tile"]), 1, args.c.data());
}

static Tuning tuning(Tile tile) { return {{{"tile", tile}}}; }

const Register<MatmulF32> variant{{
    .idea = "up to 16 x 8 elements per thread, fragments of the next step of k are loaded during this one",
    .bound_by = "issue of multiply-adds",
    .improves = "team_register_tile",
    .counterparts = {"register_prefetch"},
    .gaps = {{GapClass::tuning,
              "as many instructions, but slots without an issue: stores to scratch take more wavefronts, and warps "
              "wait for them",
              {"instructions", "issue_slots", "shared_store_wavefronts", "stall_short_scoreboard"},
              [](const Point& point) { return point.integer("m") == 4096 && point.integer("k") == 4096; }}},
    .tunings = {tuning(large), tuning(medium), tuning(flat), tuning(small), tuning(small_sliced),
                tuning(smallest_sliced)},
    .launch = launch_tuned,
}};

}  // namespace matmul_f32_register_tiles
}  // namespace crosswarp::kokkos
