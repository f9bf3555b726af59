// Entry points of the kernels that `adaptive` dispatches to. Each stands in its variant's file.
#pragma once

#include "backends/cuda/matmul_f8/operands.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

namespace matmul_f8_persistent {

struct Config {
  unsigned rows, columns;                  ///< Of a block's tile: 128 x 256 (fast only) or 128, or 64 x 128.
  unsigned cluster_rows, cluster_columns;  ///< Blocks of a cluster: 1 or 2 in all.
  unsigned raster;                         ///< Of Raster, in clusters.
  unsigned splits = 1;                     ///< Split-K: k is divided among as many blocks; none of them empty.

  unsigned cluster_size() const { return cluster_rows * cluster_columns; }
  std::size_t workspace_bytes(const MatmulF8::Args& args) const;
};

/// Clusters that the device holds at once; 0 where they do not fit.
unsigned resident_clusters(const Queue& queue, const MatmulF8::Args& args, const Config& config);
/// Requires k to be a multiple of 16.
void gemm(const Queue& queue, const MatmulF8::Args& args, const Config& config);

}  // namespace matmul_f8_persistent

namespace matmul_f8_mma_multistage {
void gemm(const Queue& queue, const MatmulF8::Args& args, unsigned raster);
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
