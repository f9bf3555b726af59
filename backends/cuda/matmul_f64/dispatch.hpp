// Entry point of the kernel that `adaptive` dispatches to.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f64.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f64_mma_multistage {

/// `rows`: of a block's tile of C, 64 or 128. `splits`: of k, among as many blocks; each has a k-tile or more.
struct Config {
  unsigned rows = 128, splits = 1;

  /// Of the partial sums.
  std::size_t workspace_bytes(const MatmulF64::Args& args) const {
    return splits > 1 ? splits * args.c.size_bytes() : 0;
  }
};

constexpr unsigned tile_columns = 64, tile_k = 16;

/// Requires a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF64::Args& args, const Config& config);

}  // namespace matmul_f64_mma_multistage
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
