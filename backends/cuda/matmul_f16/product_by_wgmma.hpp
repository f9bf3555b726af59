// The product by Hopper's matrix instructions of four warps (wgmma), which read their factors from shared memory by
// themselves, of factors of any alignment. All threads copy (cp.async) and all multiply: bound by the barrier between
// the two in each stage.
#pragma once

#include "backends/cuda/device/bulk_copy.hpp"
#include "backends/cuda/matmul_f16/wgmma.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

struct WgmmaTile {
  static constexpr unsigned threads = 2 * warpgroup_size;
  static constexpr unsigned rows = 128, columns = 128;  ///< A warpgroup has half of the rows.
  static constexpr unsigned stages = 3;
  static constexpr unsigned a_bytes = rows * row_bytes, b_bytes = columns * row_bytes;
  static constexpr unsigned shared_bytes = stages * (a_bytes + b_bytes);
};

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(WgmmaTile::threads, 2)
    multiply_by_warpgroups([[maybe_unused]] Factor a, [[maybe_unused]] Factor b, [[maybe_unused]] TileOrder order,
                           [[maybe_unused]] Output c) {
#if CROSSWARP_TARGET_HAS_WGMMA
  using Tile = WgmmaTile;
  constexpr unsigned threads = Tile::threads, rows = Tile::rows, columns = Tile::columns, stages = Tile::stages;
  constexpr unsigned a_bytes = Tile::a_bytes, b_bytes = Tile::b_bytes;
  const unsigned ring_a = uniform(shared_address(aligned_dynamic_shared())), ring_b = ring_a + stages * a_bytes;
  const auto [tile_row, tile_column] = order.place(blockIdx.x);
  const unsigned row = tile_row * rows, column = tile_column * columns;
  const unsigned blocks = (a.columns + row_elements - 1) / row_elements;
  const auto fetch = [&](unsigned block, unsigned stage) {
    if (block < blocks)
      fetch_tiles<rows, columns, b_transposed, threads>(ring_a + stage * a_bytes, ring_b + stage * b_bytes, a, b, row,
                                                        column, block * row_elements);
    cp_async_commit_group();
  };
  fetch(0, 0);

  const unsigned group = uniform(threadIdx.x / warpgroup_size), warp = uniform(threadIdx.x / warp_size());
  float sums[columns / 2];
  unsigned stage = 0;
  for (unsigned block = 0; block < blocks; ++block) {
    cp_async_wait_group<0>();
    fence_proxy_async();  // and to the matrix units, which read by the same way
    __syncthreads();
    // Both groups have waited for what they read two blocks ago: that stage is free.
    const unsigned next_stage = stage + 1 == stages ? 0 : stage + 1;
    fetch(block + 1, next_stage);
    start_stage<bf16, b_transposed>(sums, ring_a + stage * a_bytes + group * 64 * row_bytes, ring_b + stage * b_bytes,
                                    block > 0);
    wait_for_wgmma<1>();
    stage = next_stage;
  }
  wait_for_wgmma<0>();
  fence_operands(sums);
  c.store_fragment<bf16>(row + 16 * warp, column, sums);
#endif
}

/// Enqueues the product in bands of `raster` tiles: TileOrder.
inline void multiply_by_wgmma(const Queue& queue, const MatmulF16::Args& args, unsigned raster) {
  using Tile = WgmmaTile;
  if (is_done_without_factors(queue, args)) return;
  const TileOrder order{blocks_for(args.m, Tile::rows), blocks_for(args.n, Tile::columns), raster};
  with_factors(args, [&]<bool bf16, bool b_transposed>() {
    const auto kernel = multiply_by_warpgroups<bf16, b_transposed>;
    launch(kernel, order.count(), Tile::threads, Tile::shared_bytes, queue, factor_a(args), factor_b(args), order,
           Output(args));
  });
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
