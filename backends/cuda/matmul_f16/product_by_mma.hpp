// The product by matrix instructions of single warps (mma.sync), fed from a ring of stages in shared memory that is
// filled by copies which take no registers. Any shape and alignment.
#pragma once

#include "backends/cuda/matmul_f16/mma.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// A block's tile, in a warp's share of 64 x 64: per byte from shared memory a warp does as much as its registers
/// allow.
struct MmaTile {
  static constexpr unsigned rows = 128, columns = 128, depth = row_elements, stages = 3, threads = 128;
  static constexpr unsigned share = 64;
  static constexpr unsigned a_bytes = rows * row_bytes, b_bytes = columns * row_bytes;
  static constexpr unsigned shared_bytes = stages * (a_bytes + b_bytes);
};

/// Adds the 64 products of each sum of a warp's share that a stage holds.
template <bool bf16, bool b_transposed>
__device__ void multiply_stage(float (&sums)[4][8][4], unsigned a, unsigned b, unsigned first_row,
                               unsigned first_column) {
  const unsigned lane = threadIdx.x % warp_size(), matrix = lane / 8, i = lane % 8;
#pragma unroll
  for (unsigned step = 0; step < MmaTile::depth / 16; ++step) {
    std::uint32_t of_a[4][4], of_b[4][4];
#pragma unroll
    for (unsigned r = 0; r < 4; ++r)
      load_matrices<false>(of_a[r], a + swizzled(first_row + 16 * r + 8 * (matrix % 2) + i, 2 * step + matrix / 2));
      // Of each 16 columns the first eight, products 0 to 7 and 8 to 15; then the other eight.
#pragma unroll
    for (unsigned c = 0; c < 4; ++c)
      if constexpr (b_transposed)
        load_matrices<false>(of_b[c],
                             b + swizzled(first_column + 16 * c + 8 * (matrix / 2) + i, 2 * step + matrix % 2));
      else
        load_matrices<true>(
            of_b[c], b + first_column * row_bytes + swizzled(16 * step + 8 * (matrix % 2) + i, 2 * c + matrix / 2));
#pragma unroll
    for (unsigned r = 0; r < 4; ++r)
#pragma unroll
      for (unsigned c = 0; c < 8; ++c)
        multiply_add<bf16>(sums[r][c], of_a[r], of_b[c / 2][c % 2 * 2], of_b[c / 2][c % 2 * 2 + 1]);
  }
}

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(MmaTile::threads, 2) multiply_by_mma(Factor a, Factor b, TileOrder order, Output c) {
  using Tile = MmaTile;
  const unsigned ring_a = shared_address(dynamic_shared<std::byte>()), ring_b = ring_a + Tile::stages * Tile::a_bytes;
  const auto [tile_row, tile_column] = order.place(blockIdx.x);
  const unsigned row = tile_row * Tile::rows, column = tile_column * Tile::columns;
  const unsigned blocks = (a.columns + Tile::depth - 1) / Tile::depth;
  const auto fetch = [&](unsigned block, unsigned stage) {
    if (block < blocks)
      fetch_tiles<Tile::rows, Tile::columns, b_transposed, Tile::threads>(
          ring_a + stage * Tile::a_bytes, ring_b + stage * Tile::b_bytes, a, b, row, column, block * Tile::depth);
    cp_async_commit_group();
  };
#pragma unroll
  for (unsigned stage = 0; stage + 1 < Tile::stages; ++stage) fetch(stage, stage);

  const unsigned warp = threadIdx.x / warp_size();
  const unsigned warp_row = warp / 2 * Tile::share, warp_column = warp % 2 * Tile::share;
  float sums[4][8][4] = {};
  unsigned stage = 0, free_stage = Tile::stages - 1;
  for (unsigned block = 0; block < blocks; ++block) {
    cp_async_wait_group<Tile::stages - 2>();
    __syncthreads();  // all parts of this stage are there, and all warps have read the one that is filled again now
    fetch(block + Tile::stages - 1, free_stage);
    multiply_stage<bf16, b_transposed>(sums, ring_a + stage * Tile::a_bytes, ring_b + stage * Tile::b_bytes, warp_row,
                                       warp_column);
    free_stage = stage;
    stage = stage + 1 == Tile::stages ? 0 : stage + 1;
  }
#pragma unroll
  for (unsigned r = 0; r < 4; ++r)
    c.store_fragment<bf16>(row + warp_row + 16 * r, column + warp_column,
                           reinterpret_cast<const float(&)[Tile::share / 2]>(sums[r]));
}

inline void multiply_by_mma(const Queue& queue, const MatmulF16::Args& args, unsigned raster) {
  if (is_done_without_factors(queue, args)) return;
  const TileOrder order{blocks_for(args.m, MmaTile::rows), blocks_for(args.n, MmaTile::columns), raster};
  with_factors(args, [&]<bool bf16, bool b_transposed>() {
    const auto kernel = multiply_by_mma<bf16, b_transposed>;
    launch(kernel, order.count(), MmaTile::threads, MmaTile::shared_bytes, queue, factor_a(args), factor_b(args), order,
           Output(args));
  });
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
