// Entry points of the kernels that `adaptive` dispatches to. Each stands in its variant's file.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f64.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

namespace matmul_f64 {

/// How a kernel divides a product.
struct Config {
  unsigned rows, columns;  ///< Of a block's tile of C.
  unsigned splits = 1;     ///< Of k, among as many blocks; each has a k-tile or more.

  /// Of the partial sums.
  std::size_t workspace_bytes(const MatmulF64::Args& args) const {
    return splits > 1 ? splits * args.c.size_bytes() : 0;
  }
};

constexpr unsigned tile_k = 16;

/// A block's tile of C, and how many blocks fit on a multiprocessor.
struct TileShape {
  unsigned rows, columns, resident;
};

/// Calls `use` with the one of the tiles `T` that the configuration names: `[&]<class T>()`. Throws Error where none
/// is.
template <class... T, class Use>
void choose_tile(const Config& config, Use&& use) {
  if (!((T::rows == config.rows && T::columns == config.columns && (use.template operator()<T>(), true)) || ...))
    throw Error("no kernel was compiled for tiles of " + std::to_string(config.rows) + " x " +
                std::to_string(config.columns));
}

/// A block's tile of C. pdl: programmatic dependent launch.
inline Tuning tuning(int rows, int columns, int pdl = 1) {
  return {{{"rows", rows}, {"columns", columns}, {"pdl", pdl}}};
}
inline Config tuned_config(const Queue& queue) {
  return {.rows = static_cast<unsigned>(queue.tuning["rows"]),
          .columns = static_cast<unsigned>(queue.tuning["columns"])};
}

/// C, as split-K's partial sums are added to it.
struct Output {
  double* c;

  __device__ void store_at(std::size_t i, double sum) const { c[i] = sum; }
};

}  // namespace matmul_f64

namespace matmul_f64_mma_multistage {

constexpr matmul_f64::TileShape tiles[] = {{128, 64, 2}, {64, 64, 3}, {32, 32, 4}, {16, 128, 4}, {128, 16, 3}};

/// Requires one of `tiles`, and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF64::Args& args, const matmul_f64::Config& config);

}  // namespace matmul_f64_mma_multistage

namespace matmul_f64_mma_tma {

constexpr matmul_f64::TileShape tiles[] = {{128, 64, 2}, {64, 64, 3}, {64, 32, 4},
                                           {32, 64, 4},  {32, 32, 4}, {16, 32, 4}};

/// Whether rows of A and B begin at multiples of 16 bytes.
inline bool is_for(std::size_t n, std::size_t k) { return n % 2 == 0 && k % 2 == 0; }
/// Requires is_for(), TMA, one of `tiles`, and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF64::Args& args, const matmul_f64::Config& config);

}  // namespace matmul_f64_mma_tma

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
