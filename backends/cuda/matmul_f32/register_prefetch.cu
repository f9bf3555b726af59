// Register double buffering: threads load the next step's fragments from shared memory while they multiply the current
// ones. A lies transposed there, so that a fragment's elements spread over both register banks, which a multiply-add
// reads at once. Bound by the issue of multiply-adds. The mainloop, multiply_accumulate(), stands in the header, which
// split_k and stream_k share.
#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/matmul_f32/register_prefetch.hpp"

namespace crosswarp::gpu {
namespace {

/// With a range of k for each row of the grid, though it has one row, and with grid dependency wait: with k from 0 to
/// its end ptxas orders the main loop otherwise, 3.6 % slower at 4096 (H200, CUDA 13.0).
template <class Tile, AlignedRows rows>
__global__ void __launch_bounds__(Tile::threads, Tile::min_blocks) gemm_register_prefetch(GemmProblem gemm) {
  grid_dependency_wait();
  const TileCoord tile = rasterize(gemm, blockIdx.x);
  const std::size_t k_begin = blockIdx.y * gemm.k_per_split;
  const std::size_t k_end = k_begin + gemm.k_per_split < gemm.k ? k_begin + gemm.k_per_split : gemm.k;
  float acc[Tile::thread_m][Tile::thread_n] = {};
  multiply_accumulate<Tile, rows, false>(gemm, tile, k_begin, k_end, acc);
  launch_dependents();
  store_tile<Tile, rows>(gemm, tile, acc);
}

template <class Tile>
void launch_tile(const Queue& queue, const MatmulF32::Args& args) {
  const GemmProblem gemm = gemm_problem<Tile>(args);
  dispatch_rows(args, [&]<AlignedRows rows>() {
    launch_spread(gemm_register_prefetch<Tile, rows>, gemm.tiles_m * gemm.tiles_n, Tile::threads, Tile::shared_bytes,
                  queue, gemm);
  });
}

void gemm(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  switch (queue.tuning["columns"]) {
    case 64:
      return launch_tile<MediumTile>(queue, args);
    case 256:
      return launch_tile<WideTile>(queue, args);
    default:
      return launch_tile<LargeTile>(queue, args);
  }
}

const Register<MatmulF32> variant{{
    .idea = "register double buffering: the next step's fragments load during this one; A transposed",
    .bound_by = "issue of multiply-adds",
    .improves = "double_buffer",
    .gaps = {{GapClass::no_api,
              "HIP has no asynchronous copy to shared memory: a load and a store in place of cp.async"}},
    .tunings = {{{{"columns", 128}}}, {{{"columns", 64}}}, {{{"columns", 256}}}},
    .launch = gemm,
#if CROSSWARP_HAS_PTX
    .instructions = {{"FFMA", 1024}, {"LDGSTS", 2}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
