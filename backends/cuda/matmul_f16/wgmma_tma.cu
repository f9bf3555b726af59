// Warp specialization: one thread loads k-tiles by TMA into a ring, full and empty mbarriers hand them to two
// warpgroups that only multiply (wgmma), and no barrier of the block is left in the loop. Requires rows of A and B at
// multiples of 16 bytes. Bound by the matrix units within a tile; between tiles they idle while loads begin and C is
// stored.
#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/device/raster.hpp"
#include "backends/cuda/matmul_f16/wgmma_f16.hpp"
#include "backends/cuda/tensor_gemm/tensor_map.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned consumers = 2, threads = (consumers + 1) * warpgroup_size;  // warpgroups; the last one loads
constexpr unsigned rows = consumers * 64, columns = 256;                       // of a block's tile
constexpr unsigned stages = 4;
using Ring = OperandRing<rows, columns, stages>;

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b, [[maybe_unused]] unsigned k_tiles,
                [[maybe_unused]] Raster raster, [[maybe_unused]] Output c) {
#if CROSSWARP_TARGET_HAS_WGMMA
  __shared__ Pipeline<stages> pipeline;
  const Ring ring{warp_uniform(shared_address(swizzle_aligned_shared()))};
  const TileCoord tile = raster.tile(blockIdx.x);
  const unsigned row = tile.row * rows, column = tile.column * columns;
  if (threadIdx.x == 0) pipeline.init(consumers * warpgroup_size / warp_size());
  __syncthreads();

  const unsigned group = warp_uniform(threadIdx.x / warpgroup_size), warp = warp_uniform(threadIdx.x / warp_size());
  PipelineState state;
  if (group == consumers) {  // the producer
    setmaxnreg_dec<40>();
    if (threadIdx.x % warpgroup_size != 0) return;
    for (unsigned k_tile = 0; k_tile < k_tiles; ++k_tile, state.advance(stages)) {
      const unsigned k = k_tile * tile_k;
      Mbarrier* const full = pipeline.producer_acquire(state, Ring::stage_bytes);
      tma_load(ring.a(state.index), a, row, k, full);
      if constexpr (b_transposed)
        tma_load(ring.b(state.index), b, column, k, full);
      else
        for (unsigned panel = 0; panel < columns; panel += row_elements)
          tma_load(ring.b(state.index) + panel * row_bytes, b, k, column + panel, full);
    }
    return;
  }

  setmaxnreg_inc<232>();
  float accumulators[columns / 2];
  unsigned previous = 0;  // stage
  for (unsigned k_tile = 0; k_tile < k_tiles; ++k_tile, state.advance(stages)) {
    pipeline.consumer_wait(state);
    wgmma_k_tile<bf16, b_transposed>(accumulators, ring.a(state.index) + group * 64 * row_bytes, ring.b(state.index),
                                     k_tile > 0);
    wgmma_wait_group<1>();  // the previous k-tile's instructions have read their stage
    if (k_tile > 0 && threadIdx.x % warp_size() == 0) pipeline.consumer_release(previous);
    previous = state.index;
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
  const CUtensorMap a = tensor_map(operand_a(args), rows);
  const CUtensorMap b = tensor_map(operand_b(args), args.b_transposed ? columns : row_elements);
  with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
    launch(gemm_kernel<bf16, b_transposed>, raster.count(), threads, Ring::bytes, queue, a, b,
           blocks_for(args.k, tile_k), raster, Output(args));
  });
}
#endif

const Register<MatmulF16> variant{{
    .idea = "TMA loads by one thread, two warpgroups multiply (wgmma): a ring with full and empty mbarriers",
    .bound_by = "the matrix units within a tile, latency between tiles",
    .improves = "wgmma",
    .needs = {"ptx", "wgmma", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"raster", 16}}}, {{{"raster", 8}}}, {{{"raster", 1}}}},
    .applies = has_aligned_rows,
    .launch = gemm,
    .instructions = {{"HGMMA.64x256x16.F32", 4}, {"UTMALDG.2D", 2}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
