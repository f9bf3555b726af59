// Multicast in a cluster of a GEMM's blocks: blocks in a row share rows of A, blocks in a column share columns of B.
// Each loads its share of both by TMA and multicasts it. For files that need "ptx".
#pragma once

#include "backends/cuda/device/cluster.hpp"
#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/matmul_f16/dispatch.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// A block's position in the cluster. Ranks run down the columns.
struct ClusterPosition {
  ClusterShape shape;
  unsigned row, column;

  __device__ explicit ClusterPosition(ClusterShape shape)
      : shape(shape), row(cluster_rank() % shape.rows), column(cluster_rank() / shape.rows) {}

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
