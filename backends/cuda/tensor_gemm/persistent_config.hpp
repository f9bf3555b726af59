// How a persistent GEMM, or an fp32 one by split-K, is divided among blocks: tile, cluster, order of tiles, splits.
#pragma once

#include <cstddef>

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Blocks of a cluster, each with a tile. Those in a row share rows of A, those in a column columns of B (of swapped
/// operands columns of B and rows of A).
struct ClusterShape {
  unsigned rows, columns;

  __host__ __device__ unsigned size() const { return rows * columns; }
};

/// Columns of a tile, rounded up to panels of 64: so many are stored of C, some of them twice, and loaded of a B that
/// is not transposed. Of swapped operands so many rows of C are stored.
constexpr unsigned in_whole_panels(unsigned columns) { return (columns + 63) / 64 * 64; }

/// Floats from one block's partial sums to the next block's: add_split_tiles() adds so many at a time without a
/// remainder.
__host__ __device__ constexpr unsigned floats_of_sums(unsigned rows, unsigned columns) {
  constexpr unsigned granule = 1024;
  return (rows * columns + granule - 1) / granule * granule;
}

/// Whether tiles of that size come with swapped operands, too: not square ones, which waste as much either way.
constexpr bool has_swapped_kernel(unsigned rows, unsigned columns) { return rows != columns; }

/// What a consumer warpgroup has of a persistent GEMM's tiles.
enum class Schedule {
  cooperative,  ///< 64 rows of each tile, which are stored while the next tile is multiplied: persistent_gemm().
  pingpong      ///< Every other tile, which is stored while the other warpgroup multiplies: pingpong_gemm().
};

struct PersistentConfig {
  unsigned rows, columns;  ///< Of a block's tile: wgmma's M and N.
  ClusterShape cluster;
  unsigned raster;       ///< Of Raster, in clusters.
  unsigned splits = 1;   ///< Split-K: ranges of k, of one k-tile or more each.
  unsigned whole = 0;    ///< Clusters' tiles that are not split where splits > 1: the raster's first, fewer than all.
  bool swapped = false;  ///< Operands: Cᵀ = Bᵀ·Aᵀ, so that tiles and clusters are those of Cᵀ.
  Schedule schedule = Schedule::cooperative;

  /// Rows and columns of clusters' tiles, for a C of m x n: of Cᵀ if swapped.
  unsigned row_tiles(std::size_t m, std::size_t n) const { return blocks_for(swapped ? n : m, cluster.rows * rows); }
  unsigned column_tiles(std::size_t m, std::size_t n) const {
    return blocks_for(swapped ? m : n, cluster.columns * columns);
  }
  unsigned tiles(std::size_t m, std::size_t n) const { return row_tiles(m, n) * column_tiles(m, n); }
  /// Of a block's tile in C.
  unsigned rows_of_c() const { return swapped ? columns : rows; }
  unsigned columns_of_c() const { return swapped ? rows : columns; }
  /// Rows and columns of a block's partial sums: the tile's, or C's where it has fewer; columns in whole vectors of
  /// four.
  unsigned stored_rows(std::size_t m) const { return static_cast<unsigned>(std::min<std::size_t>(rows_of_c(), m)); }
  unsigned stored_columns(std::size_t n) const {
    return static_cast<unsigned>(std::min<std::size_t>(columns_of_c(), (n + 3) / 4 * 4));
  }
  /// Of the partial sums.
  std::size_t workspace_bytes(std::size_t m, std::size_t n) const {
    return splits > 1 ? std::size_t{splits} * (tiles(m, n) - whole) * cluster.size() *
                            floats_of_sums(stored_rows(m), stored_columns(n)) * sizeof(float)
                      : 0;
  }
};

/// Tile, cluster and raster of the tuning that the queue has.
inline PersistentConfig tuned_config(const Queue& queue) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(queue.tuning[name]); };
  return {.rows = number("rows"),
          .columns = number("columns"),
          .cluster = {number("cluster_rows"), number("cluster_columns")},
          .raster = number("raster")};
}
/// A tuning as tuned_config() reads it, and whether launches overlap (PDL).
inline Tuning persistent_tuning(int rows, int columns, ClusterShape cluster, int raster, int pdl) {
  return {{{"rows", rows},
           {"columns", columns},
           {"cluster_rows", static_cast<int>(cluster.rows)},
           {"cluster_columns", static_cast<int>(cluster.columns)},
           {"raster", raster},
           {"pdl", pdl}}};
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
