// Warp specialization: one thread loads k-tiles by TMA into a ring, full and empty mbarriers hand them to two
// warpgroups that only multiply (wgmma), and no barrier of the block is left in the loop. A block an output tile. For
// files that need "ptx".
#pragma once

#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/device/raster.hpp"
#include "backends/cuda/tensor_gemm/tensor_map.hpp"
#include "backends/cuda/tensor_gemm/tile_sums.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// Two consumer warpgroups with 64 rows each; the third one loads.
template <unsigned tile_columns, unsigned stages_in_flight>
struct WarpSpecializedTile {
  static constexpr unsigned consumers = 2, threads = (consumers + 1) * warpgroup_size;
  static constexpr unsigned rows = consumers * 64, columns = tile_columns, stages = stages_in_flight;
  using Ring = OperandRing<rows, columns, stages>;
};

#if CROSSWARP_TARGET_HAS_WGMMA
/// By all threads of a block of Tile::threads, with Tile::Ring::bytes of dynamic shared memory. `a`: a map of boxes of
/// Tile::rows; `b`: of Tile::columns, or of a k-tile's rows if B is not transposed.
template <class Product, bool promoted, class Tile, class Scale>
__device__ void warp_specialized_gemm(const CUtensorMap& a, const CUtensorMap& b, unsigned k_tiles,
                                      const Raster& raster, const Output& c, const Scale& scale) {
  using Ring = typename Tile::Ring;
  constexpr unsigned columns = Tile::columns, stages = Tile::stages;
  __shared__ Pipeline<stages> pipeline;
  const Ring ring{warp_uniform(shared_address(swizzle_aligned_shared()))};
  const TileCoord tile = raster.tile(blockIdx.x);
  const unsigned row = tile.row * Tile::rows, column = tile.column * columns;
  if (threadIdx.x == 0) pipeline.init(Tile::consumers * warpgroup_size / warp_size());
  __syncthreads();

  const unsigned group = warp_uniform(threadIdx.x / warpgroup_size), warp = warp_uniform(threadIdx.x / warp_size());
  PipelineState state;
  if (group == Tile::consumers) {  // the producer
    setmaxnreg_dec<40>();
    if (threadIdx.x % warpgroup_size != 0) return;
    for (unsigned k_tile = 0; k_tile < k_tiles; ++k_tile, state.advance(stages)) {
      const unsigned k = k_tile * tile_k;
      Mbarrier* const full = pipeline.producer_acquire(state, Ring::stage_bytes);
      tma_load(ring.a(state.index), a, row, k, full);
      if constexpr (Product::b_is_transposed)
        tma_load(ring.b(state.index), b, column, k, full);
      else
        for (unsigned panel = 0; panel < columns; panel += row_elements)
          tma_load(ring.b(state.index) + panel * row_bytes, b, k, column + panel, full);
    }
    return;
  }

  setmaxnreg_inc<232>();
  TileSums<Product, promoted, columns> sums;
  const auto release = [&](unsigned stage) {
    if (threadIdx.x % warp_size() == 0) pipeline.consumer_release(stage);
  };
  const auto wait = [&] {
    pipeline.consumer_wait(state);
    const StagedTile staged{state.index, ring.a(state.index) + group * 64 * row_bytes, ring.b(state.index)};
    state.advance(stages);
    return staged;
  };
  sums.add(k_tiles, wait, release, [](unsigned, bool) {});
  const auto scaled_sum = scaled(sums.sums(), scale);
#pragma unroll
  for (unsigned i = 0; i < columns / 2; ++i) sums.sums()[i] = scaled_sum(i);
  c.store_fragment<Product::is_bf16>(row + 16 * warp, column, sums.sums());
}
#endif

}  // namespace
}  // namespace crosswarp::gpu

#endif
