// Matrix instructions of single warps (mma.sync), fed by ldmatrix from swizzled tiles in shared memory; a ring of
// stages that cp.async fills two k-tiles ahead. Any shape and alignment. Bound by these instructions, which reach about
// 60 % of Hopper's matrix units.
#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/device/raster.hpp"
#include "backends/cuda/matmul_f16/dispatch.hpp"
#include "backends/cuda/tensor_gemm/swizzled_tile.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_mma_multistage {

#if CROSSWARP_HAS_PTX
constexpr unsigned rows = 128, columns = 128, threads = 128;  // of a block
constexpr unsigned warp_side = 64;  // a warp's 64 x 64: the most work for a byte of shared memory that registers allow
constexpr unsigned stages = 3;
using Ring = OperandRing<rows, columns, stages>;

/// Multiplies a warp's 64 rows and 64 columns of a k-tile; accumulators of four by eight m16n8. One ldmatrix loads 16 x
/// 16 of A (both halves of the rows, then of k) or of B (both halves of k, then of the columns).
template <bool bf16, bool b_transposed>
__device__ void mma_k_tile(float (&accumulators)[4][8][4], unsigned a, unsigned b, unsigned warp_row,
                           unsigned warp_column) {
  const unsigned lane = threadIdx.x % warp_size(), matrix = lane / 8, i = lane % 8;
#pragma unroll
  for (unsigned step = 0; step < tile_k / 16; ++step) {
    std::uint32_t fragments_a[4][4], fragments_b[4][4];
#pragma unroll
    for (unsigned r = 0; r < 4; ++r)
      ldmatrix_x4<false>(fragments_a[r], a + swizzled(warp_row + 16 * r + 8 * (matrix % 2) + i, 2 * step + matrix / 2));
#pragma unroll
    for (unsigned c = 0; c < 4; ++c)
      if constexpr (b_transposed)
        ldmatrix_x4<false>(fragments_b[c],
                           b + swizzled(warp_column + 16 * c + 8 * (matrix / 2) + i, 2 * step + matrix % 2));
      else  // the warp's panel of 64 columns
        ldmatrix_x4<true>(fragments_b[c],
                          b + warp_column * row_bytes + swizzled(16 * step + 8 * (matrix % 2) + i, 2 * c + matrix / 2));
#pragma unroll
    for (unsigned r = 0; r < 4; ++r)
#pragma unroll
      for (unsigned c = 0; c < 8; ++c)
        mma_m16n8k16<bf16>(accumulators[r][c], fragments_a[r], fragments_b[c / 2][c % 2 * 2],
                           fragments_b[c / 2][c % 2 * 2 + 1]);
  }
}

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(threads, 2) gemm_kernel(Operand a, Operand b, Raster raster, Output c) {
  const Ring ring{shared_address(dynamic_shared<std::byte>())};
  const TileCoord tile = raster.tile(blockIdx.x);
  const unsigned row = tile.row * rows, column = tile.column * columns;
  const unsigned k_tiles = (a.columns + tile_k - 1) / tile_k;
  const auto load = [&](unsigned k_tile, unsigned stage) {
    if (k_tile < k_tiles)
      load_k_tile<rows, columns, b_transposed, threads>(ring.a(stage), ring.b(stage), a, b, row, column,
                                                        k_tile * tile_k);
    cp_async_commit_group();  // an empty group keeps the count
  };
#pragma unroll
  for (unsigned stage = 0; stage + 1 < stages; ++stage) load(stage, stage);

  const unsigned warp = threadIdx.x / warp_size();
  const unsigned warp_row = warp / 2 * warp_side, warp_column = warp % 2 * warp_side;
  float accumulators[4][8][4] = {};
  PipelineState state;
  unsigned previous = stages - 1;  // stage
  for (unsigned k_tile = 0; k_tile < k_tiles; ++k_tile) {
    cp_async_wait_group<stages - 2>();
    __syncthreads();  // all threads have loaded this stage, all warps have read the previous one
    load(k_tile + stages - 1, previous);
    mma_k_tile<bf16, b_transposed>(accumulators, ring.a(state.index), ring.b(state.index), warp_row, warp_column);
    previous = state.index;
    state.advance(stages);
  }
#pragma unroll
  for (unsigned r = 0; r < 4; ++r)
    c.store_fragment<bf16>(row + warp_row + 16 * r, column + warp_column,
                           reinterpret_cast<const float(&)[warp_side / 2]>(accumulators[r]));
}

void gemm(const Queue& queue, const MatmulF16::Args& args, unsigned raster_width) {
  if (finish_if_empty(queue, args)) return;
  const Raster raster{blocks_for(args.m, rows), blocks_for(args.n, columns), raster_width};
  with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
    launch(gemm_kernel<bf16, b_transposed>, raster.count(), threads, Ring::bytes, queue, operand_a(args),
           operand_b(args), raster, Output(args));
  });
}

void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(queue, args, static_cast<unsigned>(queue.tuning["raster"]));
}
#endif

const Register<MatmulF16> variant{{
    .idea = "mma.sync fed by ldmatrix from a swizzled cp.async ring",
    .bound_by = "a warp's matrix instructions",
    .improves = "wmma_shared",
    .needs = {"ptx", "mma_sync"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"raster", 8}}}, {{{"raster", 1}}}, {{{"raster", 16}}}},
    .launch = launch_tuned,
    .instructions = {{"HMMA.16816.F32", 128}, {"LDSM.16.M88.4", 16}, {"LDSM.16.MT88.4", 16}, {"LDGSTS", 16}},
#endif
}};

}  // namespace matmul_f16_mma_multistage
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
