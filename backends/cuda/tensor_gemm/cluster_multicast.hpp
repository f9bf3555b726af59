// Multicast in a cluster of a GEMM's blocks: blocks in a row share rows of A, blocks in a column share columns of B.
// Each loads its share of both by TMA and multicasts it. For files that need "ptx".
#pragma once

#include "backends/cuda/device/cluster.hpp"
#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/device/raster.hpp"
#include "backends/cuda/tensor_gemm/persistent_config.hpp"
#include "backends/cuda/tensor_gemm/tensor_map.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// A block's position in the cluster. Ranks run down the columns.
struct ClusterPosition {
  ClusterShape shape;
  unsigned row, column;

  __device__ explicit ClusterPosition(ClusterShape shape)
      : shape(shape), row(cluster_rank() % shape.rows), column(cluster_rank() / shape.rows) {}

  /// The block's tile within a cluster tile of shape.rows x shape.columns tiles.
  __device__ TileCoord tile(const TileCoord& cluster_tile) const {
    return {cluster_tile.row * shape.rows + row, cluster_tile.column * shape.columns + column};
  }

  /// Ranks of the blocks in this one's row and column, as multicast masks.
  __device__ unsigned row_mask() const {
    unsigned mask = 0;
    for (unsigned j = 0; j < shape.columns; ++j) mask |= 1u << (row + j * shape.rows);
    return mask;
  }
  __device__ unsigned column_mask() const { return ((1u << shape.rows) - 1) << column * shape.rows; }

  /// Blocks that load into each other's stages: this one's column and row, itself included.
  __device__ unsigned peers() const { return shape.rows + shape.columns - 1; }
  /// The rank of a peer: first those of the column, then the others of the row.
  __device__ unsigned peer(unsigned index) const {
    const unsigned in_row = index - shape.rows, other_column = in_row < column ? in_row : in_row + 1;
    return index < shape.rows ? column * shape.rows + index : other_column * shape.rows + row;
  }
};

/// TMA loads of a block's share of a k-tile, for output tiles of `rows` x `columns`: 1/shape.columns of the rows of A
/// (or of k, if A is transposed), multicast to the cluster's row; 1/shape.rows of the columns of B (or of k, if B is
/// not transposed), to its column. Requires shares of a multiple of eight rows, the period of the swizzle.
template <unsigned rows, unsigned columns, bool a_transposed, bool b_transposed>
struct MulticastLoader {
  /// Columns of B that are loaded: whole panels of 64, where its rows run along n.
  static constexpr unsigned loaded_columns = b_transposed ? columns : in_whole_panels(columns);
  static constexpr unsigned bytes = (rows + loaded_columns) * row_bytes;  ///< Of a k-tile.

  const CUtensorMap &a, &b;
  unsigned share_a, share_b;  ///< Where the share begins: a row in shared memory.
  unsigned row_mask, column_mask;

  __device__ MulticastLoader(const CUtensorMap& a, const CUtensorMap& b, const ClusterPosition& position)
      : a(a),
        b(b),
        share_a(position.column * ((a_transposed ? tile_k : rows) / position.shape.columns)),
        share_b(position.row * ((b_transposed ? columns : tile_k) / position.shape.rows)),
        row_mask(position.row_mask()),
        column_mask(position.column_mask()) {}

  /// Loads into a stage at the shared addresses `to_a` and `to_b` of each block that shares the operand.
  __device__ void load(const TileCoord& tile, unsigned k_tile, unsigned to_a, unsigned to_b, Mbarrier* full) const {
    for_each_box(tile, k_tile, to_a, to_b,
                 [&](unsigned to, const CUtensorMap& map, unsigned row, unsigned column, unsigned blocks) {
                   if ((blocks & (blocks - 1)) == 0)
                     tma_load(to, map, row, column, full);
                   else
                     tma_load_multicast(to, map, row, column, full, static_cast<std::uint16_t>(blocks));
                 });
  }
  /// Brings the same into L2.
  __device__ void prefetch(const TileCoord& tile, unsigned k_tile) const {
    for_each_box(tile, k_tile, 0, 0, [](unsigned, const CUtensorMap& map, unsigned row, unsigned column, unsigned) {
      tma_prefetch(map, row, column);
    });
  }

 private:
  /// Calls `use` with each box's shared address, map, coordinates, and the blocks that it goes to.
  template <class Use>
  __device__ void for_each_box(const TileCoord& tile, unsigned k_tile, unsigned to_a, unsigned to_b, Use use) const {
    const unsigned k = k_tile * tile_k, row = tile.row * rows, column = tile.column * columns;
    if constexpr (a_transposed)
      for (unsigned panel = 0; panel < rows; panel += row_elements)
        use(to_a + (panel + share_a) * row_bytes, a, k + share_a, row + panel, row_mask);
    else
      use(to_a + share_a * row_bytes, a, row + share_a, k, row_mask);
    if constexpr (b_transposed)
      use(to_b + share_b * row_bytes, b, column + share_b, k, column_mask);
    else
      for (unsigned panel = 0; panel < columns; panel += row_elements)
        use(to_b + (panel + share_b) * row_bytes, b, k + share_b, column + panel, column_mask);
  }
};

/// A consumer warp's release of a stage to all blocks that load into it: a lane for each peer.
struct MulticastRelease {
  unsigned empty;  ///< The peer's barriers, a cluster address.
  bool is_active;

  template <unsigned stages>
  __device__ MulticastRelease(const Pipeline<stages>& pipeline, const ClusterPosition& position)
      : empty(mapa(shared_address(pipeline.empty), position.peer(threadIdx.x % warp_size()))),
        is_active(threadIdx.x % warp_size() < position.peers()) {}

  __device__ void operator()(unsigned index) const {
    if (is_active) Mbarrier::arrive_remote(empty + index * sizeof(Mbarrier));
  }
};

}  // namespace
}  // namespace crosswarp::gpu

#endif
