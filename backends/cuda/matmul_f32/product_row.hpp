// A row times a matrix: each element of B is used once, so that nothing is to be kept on chip. Bound by reading B.
#pragma once

#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/matmul_f32/product_tiles.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned row_lines = 8;         // lines of B that a block reads side by side, by 32 threads each
constexpr unsigned row_columns = 32 * 4;  // of them, each as one load where rows are vectors
constexpr unsigned row_loads = 8;         // of a thread, on their way at once
constexpr unsigned row_part = 2 * row_loads * row_lines;  // products of an element in a part

/// The sums of row_columns columns over one part of the products; of several parts the last block to come adds them up.
template <bool vectors>
__global__ void __launch_bounds__(32 * row_lines, 4)
    multiply_row(const float* a, const float* b, unsigned* tickets, float* partials, float* c, std::size_t n,
                 std::size_t k) {
  grid_dependency_sync();
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
  const std::size_t mine = first + threadIdx.x;
  const bool is_there = threadIdx.x < row_columns && mine < n;
  float sum = 0;
#pragma unroll
  for (unsigned other = 0; other < row_lines; ++other) sum += of_line[other][threadIdx.x % row_columns];
  const bool is_alone = gridDim.y == 1;
  if (is_there) (is_alone ? c : partials + blockIdx.y * n)[mine] = sum;
  if (is_alone || !is_last_block<true>(tickets + blockIdx.x, gridDim.y) || !is_there) return;
  sum = 0;
#pragma unroll 32  // few columns: their loads at once
  for (unsigned part = 0; part < gridDim.y; ++part) sum += load_coherent(partials + part * n + mine);
  c[mine] = sum;
}

inline std::size_t parts_of_row(const MatmulF32::Args& args) { return (args.k + row_part - 1) / row_part; }

/// A ticket for each block of columns, and the partials.
inline std::size_t bytes_of_row_tickets(const MatmulF32::Args& args) {
  return blocks_for(args.n, row_columns) * sizeof(unsigned);
}
inline std::size_t row_workspace(const MatmulF32::Args& args) {
  return parts_of_row(args) > 1 ? bytes_of_row_tickets(args) + parts_of_row(args) * args.n * sizeof(float) : 0;
}

/// A launch of more parts than fit into its grid, or of no product at all, is for tiles.
inline bool is_row(const MatmulF32::Args& args) {
  constexpr std::size_t most_parts = 65'535;
  return args.m == 1 && args.k > 0 && parts_of_row(args) <= most_parts;
}

inline void launch_row(const Queue& queue, const MatmulF32::Args& args) {
  auto* const tickets = reinterpret_cast<unsigned*>(queue.workspace.data());
  auto* const partials = reinterpret_cast<float*>(queue.workspace.data() + bytes_of_row_tickets(args));
  launch(rows_are_vectors(args) ? multiply_row<true> : multiply_row<false>,
         dim3(blocks_for(args.n, row_columns), static_cast<unsigned>(parts_of_row(args))), 32 * row_lines, 0, queue,
         args.a.data(), args.b.data(), tickets, partials, args.c.data(), args.n, args.k);
}

}  // namespace
}  // namespace crosswarp::gpu
