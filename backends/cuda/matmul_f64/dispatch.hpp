// Entry points of the kernels that `adaptive` dispatches to, and what they share: configurations, tiles with their
// fitted speeds. Each kernel stands in its variant's file.
#pragma once

#include <algorithm>

#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f64.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

namespace matmul_f64 {

/// How a kernel divides a product.
struct Config {
  unsigned rows, columns;  ///< Of a block's tile of C.
  unsigned splits = 1;     ///< Split-K: parts of k, none of them empty.
  unsigned whole = 0;      ///< Tiles that are not split where splits > 1, the first ones: fewer than all.

  std::size_t tiles(std::size_t m, std::size_t n) const {
    return std::size_t{blocks_for(m, rows)} * blocks_for(n, columns);
  }
  /// Rows and columns of a tile's partial sums.
  unsigned stored_rows(std::size_t m) const { return static_cast<unsigned>(std::min<std::size_t>(rows, m)); }
  unsigned stored_columns(std::size_t n) const { return static_cast<unsigned>(std::min<std::size_t>(columns, n)); }
  /// Of the partial sums.
  std::size_t workspace_bytes(std::size_t m, std::size_t n) const {
    const std::size_t split = whole == 0 ? m * n : (tiles(m, n) - whole) * stored_rows(m) * stored_columns(n);
    return splits > 1 ? splits * split * sizeof(double) : 0;
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

constexpr matmul_f64::TileModel tiles[] = {{128, 64, 2, 1, 0.524, 892},     {64, 64, 2, 0.9, 0.59, 1580},
                                           {64, 32, 4, 0.894, 0.329, 812},  {32, 64, 4, 0.893, 0.309, 658},
                                           {32, 32, 4, 0.688, 0.275, 1208}, {16, 32, 4, 0.4, 0.157, 1052}};

/// Whether rows of A and B begin at multiples of 16 bytes.
inline bool is_for(std::size_t n, std::size_t k) { return n % 2 == 0 && k % 2 == 0; }
/// Requires is_for(), k > 0, TMA, one of `tiles`, and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF64::Args& args, const matmul_f64::Config& config);

}  // namespace matmul_f64_mma_tma

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
