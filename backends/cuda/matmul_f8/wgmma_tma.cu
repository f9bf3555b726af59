// Warp specialization: one thread loads k-tiles by TMA into a ring, full and empty mbarriers hand them to two
// warpgroups that only multiply (wgmma). Requires rows of A and B at multiples of 16 bytes. Bound by the matrix units
// within a tile; between tiles they idle while loads begin and C is stored.
#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/device/raster.hpp"
#include "backends/cuda/matmul_f8/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/tensor_map.hpp"
#include "backends/cuda/tensor_gemm/wgmma_k_major.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned consumers = 2, threads = (consumers + 1) * warpgroup_size;  // warpgroups; the last one loads
constexpr unsigned rows = consumers * 64;                                      // of a block's tile

/// Promoted sums take as many registers again: half the columns.
template <bool promoted>
struct Tile {
  static constexpr unsigned columns = promoted ? 128 : 256, stages = promoted ? 6 : 4;
  using Ring = OperandRing<rows, columns, stages>;
};

template <class A, bool promoted>
__global__ void __launch_bounds__(threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b, [[maybe_unused]] unsigned k_tiles,
                [[maybe_unused]] Raster raster, [[maybe_unused]] Output c, [[maybe_unused]] Scale scale) {
#if CROSSWARP_TARGET_HAS_WGMMA
  using Ring = typename Tile<promoted>::Ring;
  constexpr unsigned columns = Tile<promoted>::columns, stages = Tile<promoted>::stages;
  __shared__ Pipeline<stages> pipeline;
  const Ring ring{uniform_in_warp(shared_address(swizzle_aligned_shared()))};
  const TileCoord tile = raster.tile(blockIdx.x);
  const unsigned row = tile.row * rows, column = tile.column * columns;
  if (threadIdx.x == 0) pipeline.init(consumers * warpgroup_size / warp_size());
  __syncthreads();

  const unsigned group = uniform_in_warp(threadIdx.x / warpgroup_size),
                 warp = uniform_in_warp(threadIdx.x / warp_size());
  PipelineState state;
  if (group == consumers) {  // the producer
    setmaxnreg_dec<40>();
    if (threadIdx.x % warpgroup_size != 0) return;
    for (unsigned k_tile = 0; k_tile < k_tiles; ++k_tile, state.advance(stages)) {
      Mbarrier* const full = pipeline.producer_acquire(state, Ring::stage_bytes);
      tma_load(ring.a(state.index), a, row, k_tile * tile_k, full);
      tma_load(ring.b(state.index), b, column, k_tile * tile_k, full);
    }
    return;
  }

  setmaxnreg_inc<232>();
  TileSums<A, promoted, columns> sums;
  const auto release = [&](unsigned stage) {
    if (threadIdx.x % warp_size() == 0) pipeline.consumer_release(stage);
  };
  for (unsigned k_tile = 0; k_tile < k_tiles; ++k_tile, state.advance(stages)) {
    pipeline.consumer_wait(state);
    sums.add(k_tile, state.index, ring.a(state.index) + group * 64 * row_bytes, ring.b(state.index), release);
  }
  sums.finish(release);
  scale_all(sums.sums(), sums.sums(), scale.value());
  c.store_fragment<true>(row + 16 * warp, column, sums.sums());
#endif
}

void gemm(const Queue& queue, const MatmulF8::Args& args) {
  if (finish_if_empty(queue, args)) return;
  const auto multiply = [&]<class A, bool promoted>() {
    constexpr unsigned columns = Tile<promoted>::columns;
    const Raster raster{blocks_for(args.m, rows), blocks_for(args.n, columns),
                        static_cast<unsigned>(queue.tuning["raster"])};
    launch(gemm_kernel<A, promoted>, raster.count(), threads, Tile<promoted>::Ring::bytes, queue,
           tensor_map(pairs(matrix_a(args)), rows), tensor_map(pairs(matrix_b(args)), columns),
           blocks_for(args.k, tile_k8), raster, unscaled_output(args), scale_of(args));
  };
  with_type_of_a(args, [&]<class A>() {
    args.promoted ? multiply.template operator()<A, true>() : multiply.template operator()<A, false>();
  });
}
#endif

const Register<MatmulF8> variant{{
    .idea = "TMA loads by one thread, two warpgroups multiply (wgmma): a ring with full and empty mbarriers",
    .bound_by = "the matrix units within a tile, latency between tiles",
    .improves = "mma_multistage",
    .needs = {"ptx", "wgmma", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"raster", 16}}}, {{{"raster", 8}}}, {{{"raster", 1}}}},
    .applies = has_rows_of_16_bytes,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
