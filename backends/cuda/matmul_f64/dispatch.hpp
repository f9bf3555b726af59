// Entry points of the kernels that `adaptive` and `autotuned` dispatch to, and what they share: configurations, tiles
// with their fitted speeds. Each kernel stands in its variant's file, gemv's in backends/cuda/gemv/.
#pragma once

#include <algorithm>
#include <optional>

#include "backends/gpu/candidate.hpp"
#include "experiments/matmul_f64.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

namespace matmul_f64 {

/// How a kernel divides a product.
struct Config {
  unsigned rows, columns;  ///< Of a block's tile of C.
  unsigned warps = 4;      ///< Of a block.
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
  unsigned rows, columns, warps;
  unsigned resident;        ///< Blocks of a multiprocessor.
  double efficiency;        ///< Share of peak multiply-adds with `resident` blocks on a multiprocessor …
  double efficiency_alone;  ///< … and with one.
  double wave_cycles;       ///< Of prologue and epilogue, without its stores.
  double slowdown_of_odd_k = 1, slowdown_of_odd_n = 1;
  double exposed_stores = 1;  ///< Share of its stores that others' multiplications do not hide where k is short.
};

constexpr unsigned short_k_tiles = 4;  ///< The ring of 64 x 64 holds so many.

/// Calls `use` with the one of the tiles `T` that the configuration names: `[&]<class T>()`. Throws Error where none
/// is.
template <class... T, class Use>
void choose_tile(const Config& config, Use&& use) {
  if (!((T::rows == config.rows && T::columns == config.columns && T::warps == config.warps &&
         (use.template operator()<T>(), true)) ||
        ...))
    throw Error("no kernel was compiled for tiles of " + std::to_string(config.rows) + " x " +
                std::to_string(config.columns) + " by " + std::to_string(config.warps) + " warps");
}

}  // namespace matmul_f64

namespace matmul_f64_mma_multistage {

constexpr matmul_f64::TileModel tiles[] = {{128, 64, 4, 2, 0.919, 0.674, 757, 1.082, 1.2},
                                           {64, 64, 4, 3, 0.888, 0.575, 676, 1.082, 1.2, 0.6},
                                           {32, 32, 4, 4, 0.512, 0.285, 852, 1.082, 1.2},
                                           {16, 128, 4, 4, 0.498, 0.414, 882, 1.082, 1.2},
                                           {128, 16, 4, 3, 0.537, 0.346, 818, 1.082, 1.2}};

/// Requires one of `tiles`, and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF64::Args& args, const matmul_f64::Config& config);

}  // namespace matmul_f64_mma_multistage

namespace matmul_f64_mma_tma {

constexpr matmul_f64::TileModel tiles[] = {{128, 64, 4, 2, 1, 0.638, 602},    {128, 64, 8, 1, 0.963, 0.963, 1550},
                                           {64, 64, 8, 2, 0.95, 0.803, 1098}, {64, 32, 4, 4, 0.921, 0.36, 885},
                                           {32, 64, 4, 4, 0.896, 0.338, 675}, {32, 32, 4, 4, 0.701, 0.281, 860},
                                           {16, 32, 4, 4, 0.426, 0.149, 1047}};

/// Whether rows of A and B begin at multiples of 16 bytes.
inline bool is_for(std::size_t n, std::size_t k) { return n % 2 == 0 && k % 2 == 0; }
/// Requires is_for(), k > 0, TMA, one of `tiles`, and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF64::Args& args, const matmul_f64::Config& config);

}  // namespace matmul_f64_mma_tma

/// One row or one column.
namespace matmul_f64_gemv {

/// The cheapest launch. None where it is not for this shape: more than one row and column, or an empty product.
std::optional<Choice<MatmulF64>> choice(const Queue& queue, const MatmulF64::Args& args);

}  // namespace matmul_f64_gemv

#if CROSSWARP_HAS_PTX
namespace matmul_f64_cluster_gemv {

/// As above, for one row. None, too, on a device without clusters.
std::optional<Choice<MatmulF64>> choice(const Queue& queue, const MatmulF64::Args& args);

}  // namespace matmul_f64_cluster_gemv
#endif

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
