// The work tiles of a grid that has a block for each: a kernel that is not persistent, with split-K of all tiles or of
// the last ones alone.
#pragma once

#include "backends/cuda/tensor_gemm/split_tiles.hpp"

namespace crosswarp::gpu {
namespace {

/// Of `config`, whose clusters are single blocks, for a C of m x n and sums of `k_tiles`, one or more. No split is
/// empty: there may be fewer than `config` has. `partials`: room for their sums, if there are any.
inline SplitTiles work_tiles(const PersistentConfig& config, std::size_t m, std::size_t n, unsigned k_tiles,
                             float* partials) {
  const Raster raster{config.row_tiles(m, n), config.column_tiles(m, n), config.raster};
  const unsigned per_split = blocks_for(k_tiles, config.splits), splits = blocks_for(k_tiles, per_split);
  return {.partials = partials,
          .scheduler = {.raster = raster,
                        .k_tiles = k_tiles,
                        .whole = splits == 1 ? raster.count() : config.whole,
                        .splits = splits,
                        .k_tiles_per_split = per_split},
          .cluster = config.cluster,
          .swapped = config.swapped,
          .tile_rows = config.rows_of_c(),
          .tile_columns = config.columns_of_c(),
          .rows = config.stored_rows(m),
          .columns = config.stored_columns(n)};
}

}  // namespace
}  // namespace crosswarp::gpu
