// Hopper's matrix instructions of four warps (wgmma), which read both operands from shared memory. All threads load by
// cp.async, one k-tile ahead, and all multiply. Any shape and alignment. Bound by the barrier in each k-tile.
#include "backends/cuda/device/bulk_copy.hpp"
#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/device/raster.hpp"
#include "backends/cuda/matmul_f16/wgmma_f16.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned threads = 2 * warpgroup_size;
constexpr unsigned rows = 128, columns = 128;  // of a block; each warpgroup has half of the rows
constexpr unsigned stages = 3;
using Ring = OperandRing<rows, columns, stages>;

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(threads, 2) gemm_kernel([[maybe_unused]] Operand a, [[maybe_unused]] Operand b,
                                                          [[maybe_unused]] Raster raster, [[maybe_unused]] Output c) {
#if CROSSWARP_TARGET_HAS_WGMMA
  const Ring ring{warp_uniform(shared_address(swizzle_aligned_shared()))};
  const TileCoord tile = raster.tile(blockIdx.x);
  const unsigned row = tile.row * rows, column = tile.column * columns;
  const unsigned k_tiles = (a.columns + tile_k - 1) / tile_k;
  const auto load = [&](unsigned k_tile, unsigned stage) {
    if (k_tile < k_tiles)
      load_k_tile<rows, columns, b_transposed, threads>(ring.a(stage), ring.b(stage), a, b, row, column,
                                                        k_tile * tile_k);
    cp_async_commit_group();
  };
  load(0, 0);

  const unsigned group = warp_uniform(threadIdx.x / warpgroup_size), warp = warp_uniform(threadIdx.x / warp_size());
  float accumulators[columns / 2];
  PipelineState state;
  for (unsigned k_tile = 0; k_tile < k_tiles; ++k_tile) {
    cp_async_wait_group<0>();
    fence_proxy_async();
    __syncthreads();
    // Both warpgroups have waited for their wgmmas of two k-tiles ago: that stage is empty.
    PipelineState next = state;
    next.advance(stages);
    load(k_tile + 1, next.index);
    wgmma_k_tile<bf16, b_transposed>(accumulators, ring.a(state.index) + group * 64 * row_bytes, ring.b(state.index),
                                     k_tile > 0);
    wgmma_wait_group<1>();
    state = next;
  }
  wgmma_wait_group<0>();
  wgmma_fence_operands(accumulators);
  c.store_fragment<bf16>(row + 16 * warp, column, accumulators);
#endif
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (finish_if_empty(queue, args)) return;
  const Raster raster{blocks_for(args.m, rows), blocks_for(args.n, columns),
                      static_cast<unsigned>(queue.tuning["raster"])};
  with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
    launch(gemm_kernel<bf16, b_transposed>, raster.count(), threads, Ring::bytes, queue, operand_a(args),
           operand_b(args), raster, Output(args));
  });
}
#endif

const Register<MatmulF16> variant{{
    .idea = "wgmma from a swizzled ring that all threads fill by cp.async",
    .bound_by = "a barrier in each k-tile",
    .improves = "mma_multistage",
    .needs = {"ptx", "wgmma"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"raster", 8}}}, {{{"raster", 1}}}},
    .launch = gemm,
    .instructions = {{"HGMMA.64x128x16.F32", 4}, {"LDGSTS", 8}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
