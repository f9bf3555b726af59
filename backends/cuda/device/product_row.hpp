// A row times a matrix: each element of B is used once, so that nothing is to be kept on chip. Bound by reading B.
#pragma once

#include "backends/cuda/device/product_tiles.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned row_lines = 8;         // lines of B that a block reads side by side, by 32 threads each
constexpr unsigned row_columns = 32 * 4;  // of them, each as one load where rows are vectors
constexpr unsigned row_loads = 8;         // of a thread, on their way at once
constexpr unsigned row_part = 2 * row_loads * row_lines;  // products of an element in a part

/// Partial sums of row_columns columns over one part of the products.
template <bool vectors>
__global__ void __launch_bounds__(32 * row_lines, 4)
    multiply_row(const float* a, const float* b, float* partials, std::size_t n, std::size_t k) {
  alignas(16) __shared__ float of_line[row_lines][row_columns];
  const unsigned line = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::size_t first = blockIdx.x * std::size_t{row_columns};
  // Of 32 threads, each has four columns: beside each other, or 32 apart.
  const std::size_t column = first + (vectors ? lane * 4 : lane);
  float sums[4] = {};
#pragma unroll 1
  for (unsigned at = 0; at < row_part; at += row_loads * row_lines) {
    // All loads of a round come first, and without a way out between them: so none waits for another.
    float factors[row_loads], values[row_loads][4];
#pragma unroll
    for (unsigned i = 0; i < row_loads; ++i) {
      const std::size_t l = blockIdx.y * std::size_t{row_part} + at + i * row_lines + line;
      const float* const from = b + l * n + column;
      factors[i] = l < k ? a[l] : 0;
      if constexpr (vectors) {
        const float4 v =
            l < k && column < n ? load_once(reinterpret_cast<const float4*>(from)) : make_float4(0, 0, 0, 0);
        values[i][0] = v.x, values[i][1] = v.y, values[i][2] = v.z, values[i][3] = v.w;
      } else {
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) values[i][j] = l < k && column + 32 * j < n ? from[32 * j] : 0;
      }
    }
#pragma unroll
    for (unsigned i = 0; i < row_loads; ++i)
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) sums[j] += factors[i] * values[i][j];
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
  if (parts > 1) launch_add_partials<32>(queue, args, parts);  // few columns: their loads at once
}

}  // namespace
}  // namespace crosswarp::gpu
