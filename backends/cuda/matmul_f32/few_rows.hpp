// Up to eight rows of A times B (m <= 8): every element of B is used that often, so that nothing needs to stay on chip.
// Bound by memory bandwidth, reading B.
#pragma once

#include <algorithm>
#include <bit>

#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f32/gemm_tile.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned few_rows_most = 8;          // of A
constexpr unsigned few_rows_warps = 8;         // rows of B that a block reads at a time, each by a warp's width
constexpr unsigned few_rows_columns = 32 * 4;  // of each row, as one load per thread where rows are aligned
constexpr unsigned few_rows_loads = 8;         // in flight per thread
constexpr unsigned few_rows_pass = few_rows_loads * few_rows_warps;  // steps of k

/// Block (x, y): few_rows_columns columns of C, summed over `depth` steps of k, from y * depth on. The last block of a
/// column range adds the partial sums. `rows`: m, or the next power of two; rows beyond m repeat the last one, whose
/// sums are dropped.
template <unsigned rows, bool aligned>
__global__ void __launch_bounds__(32 * few_rows_warps, rows == 1   ? 4
                                                       : rows <= 4 ? 2
                                                                   : 1)
    multiply_few_rows(const float* a, const float* b, unsigned* finished, float* partials, float* c, std::size_t m,
                      std::size_t n, std::size_t k, std::size_t depth) {
  grid_dependency_sync();
  alignas(16) __shared__ float warp_sums[few_rows_warps][rows][few_rows_columns];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::size_t first_column = blockIdx.x * std::size_t{few_rows_columns};
  // A thread has four columns: adjacent ones, or 32 apart.
  const std::size_t column = first_column + (aligned ? lane * 4 : lane);
  float acc[rows][4] = {};
#pragma unroll 1
  for (std::size_t k0 = 0; k0 < depth; k0 += few_rows_pass) {
    // All loads of B in a pass come first, without a branch between them: none waits for another.
    float b_elements[few_rows_loads][4];
#pragma unroll
    for (unsigned i = 0; i < few_rows_loads; ++i) {
      const std::size_t l = blockIdx.y * depth + k0 + i * few_rows_warps + warp;
      const float* const from = b + l * n + column;
      if constexpr (aligned) {
        const float4 v =
            l < k && column < n ? load_once(reinterpret_cast<const float4*>(from)) : make_float4(0, 0, 0, 0);
        b_elements[i][0] = v.x, b_elements[i][1] = v.y, b_elements[i][2] = v.z, b_elements[i][3] = v.w;
      } else {
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) b_elements[i][j] = l < k && column + 32 * j < n ? from[32 * j] : 0;
      }
    }
#pragma unroll
    for (unsigned i = 0; i < few_rows_loads; ++i) {
      const std::size_t l = blockIdx.y * depth + k0 + i * few_rows_warps + warp;
#pragma unroll
      for (unsigned row = 0; row < rows; ++row) {
        const float of_a = l < k ? a[(row < m ? row : m - 1) * k + l] : 0;
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) acc[row][j] += of_a * b_elements[i][j];
      }
    }
  }
#pragma unroll
  for (unsigned row = 0; row < rows; ++row)
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) warp_sums[warp][row][aligned ? lane * 4 + j : lane + 32 * j] = acc[row][j];
  __syncthreads();
  // From here on a thread has one element of C at a time.
  const bool is_complete = gridDim.y == 1;
  const auto for_elements = [&](auto use) {
#pragma unroll
    for (unsigned i = threadIdx.x; i < rows * few_rows_columns; i += 32 * few_rows_warps) {
      const unsigned row = i / few_rows_columns;
      const std::size_t own = first_column + i % few_rows_columns;
      if (row < m && own < n) use(row, i % few_rows_columns, row * n + own);
    }
  };
  float* const to = is_complete ? c : partials + blockIdx.y * m * n;
  for_elements([&](unsigned row, unsigned at, std::size_t element) {
    float sum = 0;
#pragma unroll
    for (unsigned other = 0; other < few_rows_warps; ++other) sum += warp_sums[other][row][at];
    to[element] = sum;
  });
  if (is_complete || !is_last_block<Writers::all_threads>(finished + blockIdx.x, gridDim.y)) return;
  for_elements([&](unsigned, unsigned, std::size_t element) {
    float sum = 0;
#pragma unroll 32  // loads in flight: there are few threads
    for (unsigned split = 0; split < gridDim.y; ++split) sum += load_coherent(partials + split * m * n + element);
    c[element] = sum;
  });
}

/// Steps of k of a block: two passes; with several rows, whose partial sums are as many times the bytes, so many that
/// all blocks are some 16 for each multiprocessor.
inline std::size_t few_rows_depth(const Queue& queue, const MatmulF32::Args& args) {
  constexpr std::size_t least = 2 * few_rows_pass;
  if (args.m == 1) return least;
  const std::size_t enough = 16 * static_cast<std::size_t>(queue.device.compute_units);
  const std::size_t splits = std::max<std::size_t>(enough / blocks_for(args.n, few_rows_columns), 1);
  return std::max(least, (args.k + splits * few_rows_pass - 1) / (splits * few_rows_pass) * few_rows_pass);
}
inline std::size_t few_rows_splits(const Queue& queue, const MatmulF32::Args& args) {
  const std::size_t depth = few_rows_depth(queue, args);
  return (args.k + depth - 1) / depth;
}

/// A ticket per column range, then the partial sums.
inline std::size_t few_rows_ticket_bytes(const MatmulF32::Args& args) {
  return blocks_for(args.n, few_rows_columns) * sizeof(unsigned);
}
inline std::size_t few_rows_workspace(const Queue& queue, const MatmulF32::Args& args) {
  const std::size_t splits = few_rows_splits(queue, args);
  return splits > 1 ? few_rows_ticket_bytes(args) + splits * args.c.size_bytes() : 0;
}

/// Not for k = 0, nor for more splits than the y dimension of a grid.
inline bool has_few_rows(const Queue& queue, const MatmulF32::Args& args) {
  constexpr std::size_t max_splits = 65'535;
  return args.m <= few_rows_most && args.k > 0 && few_rows_splits(queue, args) <= max_splits;
}

inline void launch_few_rows(const Queue& queue, const MatmulF32::Args& args) {
  auto* const finished = reinterpret_cast<unsigned*>(queue.workspace.data());
  auto* const partials = reinterpret_cast<float*>(queue.workspace.data() + few_rows_ticket_bytes(args));
  const dim3 grid(blocks_for(args.n, few_rows_columns), static_cast<unsigned>(few_rows_splits(queue, args)));
  with_constant<1, 2, 4, 8>(std::bit_ceil(static_cast<unsigned>(args.m)), [&]<unsigned rows>() {
    dispatch_alignment(args, [&]<bool aligned>() {
      launch(multiply_few_rows<rows, aligned>, grid, 32 * few_rows_warps, 0, queue, args.a.data(), args.b.data(),
             finished, partials, args.c.data(), args.m, args.n, args.k, few_rows_depth(queue, args));
    });
  });
}

}  // namespace
}  // namespace crosswarp::gpu
