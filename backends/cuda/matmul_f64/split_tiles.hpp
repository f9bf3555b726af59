// Split-K of doubles: which tile of C and which k-tiles a block multiplies, and where its sums go. Whole tiles go to C;
// shares of split ones to the workspace, from where a second launch adds them. Where all tiles are split, each split
// has a matrix of its own there, so that an element's address needs no division; where the last ones alone are, it has
// tile after tile.
#pragma once

#include "backends/cuda/device/split_k.hpp"
#include "backends/cuda/matmul_f64/dispatch.hpp"
#include "backends/cuda/tensor_gemm/tile_scheduler.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f64 {
namespace {

/// A row-major matrix of rows x columns without gaps, and where a block's tile begins in it.
struct Target {
  double* data;
  std::size_t rows, columns;
  std::size_t row, column;
};

/// A block for each work tile.
struct SplitTiles {
  TileScheduler scheduler;
  double *c, *partials;
  std::size_t m, n;                  ///< Of C.
  unsigned tile_rows, tile_columns;  ///< Of tiles.
  unsigned rows, columns;            ///< Of a tile's partial sums: C may have fewer than a tile.

  __host__ __device__ std::size_t tile_size() const { return std::size_t{rows} * columns; }

  /// Of work tile `index`.
  __device__ Target target(unsigned index, const TileCoord& tile) const {
    if (scheduler.is_split(index) && scheduler.whole > 0)
      return {partials + std::size_t{index - scheduler.whole} * tile_size(), rows, columns, 0, 0};
    double* const whole_matrix = scheduler.is_split(index) ? partials + index / scheduler.split_tiles() * (m * n) : c;
    return {whole_matrix, m, n, std::size_t{tile.row} * tile_rows, std::size_t{tile.column} * tile_columns};
  }
  /// Elements that are split.
  std::size_t size() const { return scheduler.whole == 0 ? m * n : scheduler.split_tiles() * tile_size(); }
  /// Stores split element `i`, the sum of its partial sums.
  __device__ void store_at(std::size_t i, double sum) const {
    if (scheduler.whole == 0) {
      c[i] = sum;
      return;
    }
    const auto of_tile = static_cast<unsigned>(i % tile_size());
    const TileCoord tile = scheduler.raster.tile(scheduler.whole + static_cast<unsigned>(i / tile_size()));
    const std::size_t row = std::size_t{tile.row} * tile_rows + of_tile / columns,
                      column = std::size_t{tile.column} * tile_columns + of_tile % columns;
    if (row < m && column < n) c[row * n + column] = sum;
  }
};

/// `raster_width`: rows of tiles of a band. Requires a workspace of config.workspace_bytes().
inline SplitTiles split_tiles(const Queue& queue, const MatmulF64::Args& args, const Config& config,
                              unsigned raster_width) {
  const Raster raster{blocks_for(args.m, config.rows), blocks_for(args.n, config.columns), raster_width};
  const unsigned k_tiles = blocks_for(args.k, tile_k);
  return {.scheduler = {.raster = raster,
                        .k_tiles = k_tiles,
                        .whole = config.splits == 1 ? raster.count() : config.whole,
                        .splits = config.splits,
                        .k_tiles_per_split = blocks_for(k_tiles, config.splits)},
          .c = args.c.data(),
          .partials = reinterpret_cast<double*>(queue.workspace.data()),
          .m = args.m,
          .n = args.n,
          .tile_rows = config.rows,
          .tile_columns = config.columns,
          .rows = config.stored_rows(args.m),
          .columns = config.stored_columns(args.n)};
}

/// Adds the partial sums, if any tile is split.
inline void launch_add_split_tiles(const Queue& queue, const SplitTiles& tiles) {
  if (tiles.scheduler.splits == 1) return;
  launch_add_partials<double>(queue, tiles.size(), tiles.scheduler.splits, tiles.size(), tiles);
}

}  // namespace
}  // namespace matmul_f64
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
