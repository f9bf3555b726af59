// Tiles of A and B in shared memory, 8 x 4 elements of C in a thread's registers: 12 doubles from shared memory serve
// 32 multiply-adds. Bound by the issue of those: the double-precision pipe takes one of a warp in 16 cycles of a
// quarter of a multiprocessor on Hopper.
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f64.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned thread_rows = 8, thread_columns = 4, side = 16, block = side * side;
constexpr unsigned rows = side * thread_rows, columns = side * thread_columns, tile_k = 8;
constexpr unsigned a_pitch = tile_k + 1;  // doubles; a warp reads two rows, and stores four

__global__ void __launch_bounds__(block, 2)
    gemm_register_tile(const double* a, const double* b, double* c, std::size_t m, std::size_t n, std::size_t k) {
  __shared__ double a_tile[rows * a_pitch], b_tile[tile_k * columns];
  const std::size_t tiles_n = (n + columns - 1) / columns;
  const std::size_t first_row = blockIdx.x / tiles_n * rows, first_column = blockIdx.x % tiles_n * columns;
  const unsigned y = threadIdx.x / side, x = threadIdx.x % side;  // elements of C are `side` rows and columns apart
  double sums[thread_rows][thread_columns] = {};
  for (std::size_t k0 = 0; k0 < k; k0 += tile_k) {
#pragma unroll
    for (unsigned step = 0; step < rows * tile_k / block; ++step) {
      const unsigned i = step * block + threadIdx.x;
      const std::size_t row = first_row + i / tile_k, l = k0 + i % tile_k;
      a_tile[i / tile_k * a_pitch + i % tile_k] = row < m && l < k ? a[row * k + l] : 0;
    }
#pragma unroll
    for (unsigned step = 0; step < tile_k * columns / block; ++step) {
      const unsigned i = step * block + threadIdx.x;
      const std::size_t l = k0 + i / columns, column = first_column + i % columns;
      b_tile[i] = l < k && column < n ? b[l * n + column] : 0;
    }
    __syncthreads();
#pragma unroll
    for (unsigned l = 0; l < tile_k; ++l) {
      double a_fragment[thread_rows], b_fragment[thread_columns];
#pragma unroll
      for (unsigned i = 0; i < thread_rows; ++i) a_fragment[i] = a_tile[(y + i * side) * a_pitch + l];
#pragma unroll
      for (unsigned j = 0; j < thread_columns; ++j) b_fragment[j] = b_tile[l * columns + x + j * side];
#pragma unroll
      for (unsigned i = 0; i < thread_rows; ++i)
#pragma unroll
        for (unsigned j = 0; j < thread_columns; ++j) sums[i][j] += a_fragment[i] * b_fragment[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < thread_rows; ++i)
#pragma unroll
    for (unsigned j = 0; j < thread_columns; ++j) {
      const std::size_t row = first_row + y + i * side, column = first_column + x + j * side;
      if (row < m && column < n) c[row * n + column] = sums[i][j];
    }
}

void gemm(const Queue& queue, const MatmulF64::Args& args) {
  if (args.c.empty()) return;
  launch(gemm_register_tile, blocks_for(args.n, columns) * blocks_for(args.m, rows), block, 0, queue, args.a.data(),
         args.b.data(), args.c.data(), args.m, args.n, args.k);
}

const Register<MatmulF64> variant{{
    .idea = "8 x 4 elements of C per thread: 12 doubles from shared memory serve 32 multiply-adds",
    .bound_by = "issue of double-precision multiply-adds",
    .improves = "naive",
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::gpu
