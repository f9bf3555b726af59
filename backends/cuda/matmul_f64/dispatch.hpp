// Entry points of the kernels that `adaptive` dispatches to, and what they share: configurations, tiles with their
// fitted speeds. Each kernel stands in its variant's file.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f64.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

namespace matmul_f64 {

/// How a kernel divides a product.
struct Config {
  unsigned rows, columns;  ///< Of a block's tile of C.
  unsigned splits = 1;     ///< Parts of k, one for each row of the grid; none is empty.

  /// Of the partial sums.
  std::size_t workspace_bytes(const MatmulF64::Args& args) const {
    return splits > 1 ? splits * args.c.size_bytes() : 0;
  }
};

constexpr unsigned tile_k = 16;

/// A block's tile of C, and how fast it is expected to be: expected_cycles().
struct TileModel {
  unsigned rows, columns, resident;  ///< `resident`: blocks of a multiprocessor.
  double efficiency;                 ///< Share of peak multiply-adds with `resident` blocks, two or more, on one …
  double efficiency_alone;           ///< … and with one.
  double wave_cycles;                ///< Of prologue and epilogue, without its stores.
  double slowdown_of_odd_k = 1, slowdown_of_odd_n = 1;
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

/// Of split-K's second pass, which stores sums of partial sums.
struct Output {
  double* c;

  __device__ void store_at(std::size_t i, double sum) const { c[i] = sum; }
};

}  // namespace matmul_f64

namespace matmul_f64_mma_multistage {

constexpr matmul_f64::TileModel tiles[] = {{128, 64, 2, 0.913, 0.634, 1368, 1.082, 1.2},
                                           {64, 64, 3, 0.854, 0.557, 601, 1.082, 1.2},
                                           {32, 32, 4, 0.593, 0.304, 837, 1.082, 1.2},
                                           {16, 128, 4, 0.528, 0.454, 863, 1.082, 1.2},
                                           {128, 16, 3, 0.501, 0.309, 768, 1.082, 1.2}};

/// Requires one of `tiles`, and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF64::Args& args, const matmul_f64::Config& config);

}  // namespace matmul_f64_mma_multistage

namespace matmul_f64_mma_tma {

constexpr matmul_f64::TileModel tiles[] = {{128, 64, 2, 1, 0.524, 892},     {64, 64, 3, 0.945, 0.435, 100},
                                           {64, 32, 4, 0.894, 0.329, 812},  {32, 64, 4, 0.893, 0.309, 658},
                                           {32, 32, 4, 0.688, 0.275, 1208}, {16, 32, 4, 0.4, 0.157, 1052}};

/// Whether rows of A and B begin at multiples of 16 bytes.
inline bool is_for(std::size_t n, std::size_t k) { return n % 2 == 0 && k % 2 == 0; }
/// Requires is_for(), k > 0, TMA, one of `tiles`, and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF64::Args& args, const matmul_f64::Config& config);

}  // namespace matmul_f64_mma_tma

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
