// Each thread computes eight elements of a column of C: one shared-memory load of B serves eight multiply-adds. Bound
// by shared-memory loads: nine per eight multiply-adds, eight of them broadcasts of A.
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned tile = 64, tile_k = 8, thread_m = 8, block = tile * tile / thread_m;
static_assert(block == tile * tile_k);  // each thread loads one element of A and one of B per k-tile

__global__ void __launch_bounds__(block)
    gemm_register_tile_1d(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  __shared__ float a_tile[tile][tile_k], b_tile[tile_k][tile];
  const std::size_t tiles_n = (n + tile - 1) / tile;
  const std::size_t first_row = blockIdx.x / tiles_n * tile, first_column = blockIdx.x % tiles_n * tile;
  const unsigned a_row = threadIdx.x / tile_k, a_column = threadIdx.x % tile_k;
  // The row index serves twice: of the k-tile of B to load, and of the thread's group of thread_m rows of C.
  const unsigned row = threadIdx.x / tile, column = threadIdx.x % tile;
  float acc[thread_m] = {};
  for (std::size_t k0 = 0; k0 < k; k0 += tile_k) {
    a_tile[a_row][a_column] =
        first_row + a_row < m && k0 + a_column < k ? a[(first_row + a_row) * k + k0 + a_column] : 0;
    b_tile[row][column] = k0 + row < k && first_column + column < n ? b[(k0 + row) * n + first_column + column] : 0;
    __syncthreads();
#pragma unroll
    for (unsigned l = 0; l < tile_k; ++l) {
      const float b_element = b_tile[l][column];
#pragma unroll
      for (unsigned i = 0; i < thread_m; ++i) acc[i] += a_tile[row * thread_m + i][l] * b_element;
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < thread_m; ++i)
    if (const std::size_t c_row = first_row + row * thread_m + i; c_row < m && first_column + column < n)
      c[c_row * n + first_column + column] = acc[i];
}

void gemm(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  launch(gemm_register_tile_1d, blocks_for(args.n, tile) * blocks_for(args.m, tile), block, 0, queue, args.a.data(),
         args.b.data(), args.c.data(), args.m, args.n, args.k);
}

const Register<MatmulF32> variant{{
    .idea = "eight elements of a column of C per thread: each load of B serves eight multiply-adds",
    .bound_by = "shared-memory loads",
    .improves = "shared_tile",
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::gpu
