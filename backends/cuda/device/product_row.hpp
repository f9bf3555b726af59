// A row times a matrix: each element of B is used once, so that nothing is to be kept on chip. Bound by reading B.
#pragma once

#include "backends/cuda/device/product_tiles.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned row_lines = 8;             // lines of B that a block reads side by side, by 32 threads each
constexpr unsigned row_columns = 32 * 4;      // of them, each as one load where rows are vectors
constexpr unsigned row_part = 8 * row_lines;  // products of an element in a part

/// Partial sums of row_columns columns over one part of the products.
template <bool vectors>
__global__ void __launch_bounds__(32 * row_lines)
    multiply_row(const float* a, const float* b, float* partials, std::size_t n, std::size_t k) {
  alignas(16) __shared__ float of_line[row_lines][row_columns];
  const unsigned line = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::size_t first = blockIdx.x * std::size_t{row_columns};
  // Of 32 threads, each has four columns: beside each other, or 32 apart.
  const std::size_t column = first + (vectors ? lane * 4 : lane);
  float sums[4] = {};
#pragma unroll
  for (unsigned i = 0; i < row_part / row_lines; ++i) {
    const std::size_t l = blockIdx.y * std::size_t{row_part} + i * row_lines + line;
    if (l >= k) break;
    const float factor = a[l];
    const float* const from = b + l * n + column;
    if constexpr (vectors) {
      if (column < n) {
        const float4 v = load_once(reinterpret_cast<const float4*>(from));
        sums[0] += factor * v.x, sums[1] += factor * v.y, sums[2] += factor * v.z, sums[3] += factor * v.w;
      }
    } else {
#pragma unroll
      for (unsigned j = 0; j < 4; ++j)
        if (column + 32 * j < n) sums[j] += factor * from[32 * j];
    }
  }
#pragma unroll
  for (unsigned j = 0; j < 4; ++j) of_line[line][vectors ? lane * 4 + j : lane + 32 * j] = sums[j];
  __syncthreads();
  if (threadIdx.x >= row_columns || first + threadIdx.x >= n) return;
  float sum = 0;
#pragma unroll
  for (unsigned other = 0; other < row_lines; ++other) sum += of_line[other][threadIdx.x];
  partials[blockIdx.y * n + first + threadIdx.x] = sum;
}

/// What launch_row() needs of the workspace, and how often a row: a launch of more parts than fit into its grid, or of
/// no product at all, is for tiles.
inline std::size_t parts_of_row(const MatmulF32::Args& args) { return (args.k + row_part - 1) / row_part; }
inline bool is_row(const MatmulF32::Args& args) {
  constexpr std::size_t most_parts = 65'535;
  return args.m == 1 && args.k > 0 && parts_of_row(args) <= most_parts;
}

inline void launch_row(const Queue& queue, const MatmulF32::Args& args) {
  const std::size_t parts = parts_of_row(args);
  float* const to = parts > 1 ? reinterpret_cast<float*>(queue.workspace.data()) : args.c.data();
  launch(rows_are_vectors(args) ? multiply_row<true> : multiply_row<false>,
         dim3(blocks_for(args.n, row_columns), static_cast<unsigned>(parts)), 32 * row_lines, 0, queue, args.a.data(),
         args.b.data(), to, args.n, args.k);
  if (parts > 1) launch_add_partials(queue, args, parts);
}

}  // namespace
}  // namespace crosswarp::gpu
