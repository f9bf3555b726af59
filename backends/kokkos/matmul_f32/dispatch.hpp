// Entry points of the kernels that `split_k` and `adaptive` launch. Each stands in its variant's file.
#pragma once

#include <array>

#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::kokkos {

namespace matmul_f32_register_tiles {

/// Tile sizes of the kernels.
struct Shape {
  int m, n, k, threads, resident;
};
enum Tile : int { large, medium, flat, small, small_sliced, smallest_sliced };
inline constexpr std::array<Shape, 6> shapes{{{128, 128, 16, 128, 2},
                                              {128, 64, 8, 128, 4},
                                              {64, 128, 8, 128, 4},
                                              {64, 64, 8, 64, 8},
                                              {64, 64, 16, 256, 2},
                                              {32, 32, 32, 256, 2}}};

/// C = A·B by a team per tile and split of k; `c` has an m × n matrix for each split. Requires m, n > 0.
void gemm(const Queue& queue, const MatmulF32::Args& args, Tile tile, std::size_t splits, float* c);

}  // namespace matmul_f32_register_tiles

namespace matmul_f32_split_k {

/// Bytes of partial sums.
std::size_t workspace(const MatmulF32::Args& args, std::size_t splits);
/// Partial sums go to the queue's workspace; a second launch adds them. One split is an ordinary gemm. Requires
/// m, n > 0.
void gemm(const Queue& queue, const MatmulF32::Args& args, matmul_f32_register_tiles::Tile tile, std::size_t splits);

}  // namespace matmul_f32_split_k

namespace matmul_f32_few_rows {

inline constexpr std::size_t most_rows = 4;
std::size_t workspace(const Queue& queue, const MatmulF32::Args& args);
/// For 1 ≤ m ≤ most_rows and k > 0.
void gemm(const Queue& queue, const MatmulF32::Args& args);

}  // namespace matmul_f32_few_rows

}  // namespace crosswarp::kokkos
