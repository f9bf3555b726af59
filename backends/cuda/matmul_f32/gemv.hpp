// A row vector times a matrix (m = 1): every element of B is used once, so that nothing stays on chip. Bound by memory
// bandwidth, reading B.
#pragma once

#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/matmul_f32/gemm_tile.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned gemv_rows = 8;                        // rows of B that a block reads at a time, by 32 threads each
constexpr unsigned gemv_columns = 32 * 4;                // of each row, as one load per thread where rows are aligned
constexpr unsigned gemv_loads = 8;                       // in flight per thread
constexpr unsigned gemv_k = 2 * gemv_loads * gemv_rows;  // depth of a block

/// Block (x, y): gemv_columns columns of C, summed over range y of k. The last block of a column range adds the partial
/// sums.
template <bool aligned>
__global__ void __launch_bounds__(32 * gemv_rows, 4)
    gemv(const float* a, const float* b, unsigned* finished, float* partials, float* c, std::size_t n, std::size_t k) {
  alignas(16) __shared__ float row_sums[gemv_rows][gemv_columns];
  const unsigned row = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::size_t first_column = blockIdx.x * std::size_t{gemv_columns};
  // A thread has four columns: adjacent ones, or 32 apart.
  const std::size_t column = first_column + (aligned ? lane * 4 : lane);
  // First loads into L2, line by line.
  constexpr unsigned line = 128 / sizeof(float);
  if (lane < gemv_columns / line && first_column + lane * line < n)
#pragma unroll
    for (unsigned i = 0; i < gemv_loads; ++i)
      if (const std::size_t l = blockIdx.y * std::size_t{gemv_k} + i * gemv_rows + row; l < k)
        prefetch_to_l2(b + l * n + first_column + lane * line);
  grid_dependency_sync();

  float acc[4] = {};
#pragma unroll 1
  for (unsigned k0 = 0; k0 < gemv_k; k0 += gemv_loads * gemv_rows) {
    // All loads of a pass first, without a branch between them: none waits for another.
    float a_elements[gemv_loads], b_elements[gemv_loads][4];
#pragma unroll
    for (unsigned i = 0; i < gemv_loads; ++i) {
      const std::size_t l = blockIdx.y * std::size_t{gemv_k} + k0 + i * gemv_rows + row;
      const float* const from = b + l * n + column;
      a_elements[i] = l < k ? a[l] : 0;
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
    for (unsigned i = 0; i < gemv_loads; ++i)
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) acc[j] += a_elements[i] * b_elements[i][j];
  }
#pragma unroll
  for (unsigned j = 0; j < 4; ++j) row_sums[row][aligned ? lane * 4 + j : lane + 32 * j] = acc[j];
  __syncthreads();
  // From here on a thread has one column.
  const std::size_t own = first_column + threadIdx.x;
  const bool is_valid = threadIdx.x < gemv_columns && own < n;
  float sum = 0;
#pragma unroll
  for (unsigned other = 0; other < gemv_rows; ++other) sum += row_sums[other][threadIdx.x % gemv_columns];
  const bool is_complete = gridDim.y == 1;
  if (is_valid) (is_complete ? c : partials + blockIdx.y * n)[own] = sum;
  if (is_complete || !is_last_block<Writers::all_threads>(finished + blockIdx.x, gridDim.y) || !is_valid) return;
  sum = 0;
#pragma unroll 32  // loads in flight: there are few threads
  for (unsigned split = 0; split < gridDim.y; ++split) sum += load_coherent(partials + split * n + own);
  c[own] = sum;
}

inline std::size_t gemv_splits(const MatmulF32::Args& args) { return (args.k + gemv_k - 1) / gemv_k; }

/// A ticket per column range, then the partial sums.
inline std::size_t gemv_ticket_bytes(const MatmulF32::Args& args) {
  return blocks_for(args.n, gemv_columns) * sizeof(unsigned);
}
inline std::size_t gemv_workspace(const MatmulF32::Args& args) {
  return gemv_splits(args) > 1 ? gemv_ticket_bytes(args) + gemv_splits(args) * args.n * sizeof(float) : 0;
}

/// Not for k = 0, nor for more splits than the y dimension of a grid.
inline bool is_gemv(const MatmulF32::Args& args) {
  constexpr std::size_t max_splits = 65'535;
  return args.m == 1 && args.k > 0 && gemv_splits(args) <= max_splits;
}

inline void launch_gemv(const Queue& queue, const MatmulF32::Args& args) {
  auto* const finished = reinterpret_cast<unsigned*>(queue.workspace.data());
  auto* const partials = reinterpret_cast<float*>(queue.workspace.data() + gemv_ticket_bytes(args));
  const dim3 grid(blocks_for(args.n, gemv_columns), static_cast<unsigned>(gemv_splits(args)));
  dispatch_alignment(args, [&]<bool aligned>() {
    launch(gemv<aligned>, grid, 32 * gemv_rows, 0, queue, args.a.data(), args.b.data(), finished, partials,
           args.c.data(), args.n, args.k);
  });
}

}  // namespace
}  // namespace crosswarp::gpu
