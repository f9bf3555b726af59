// Each thread computes 8 × 8 elements of C: 16 floats from shared memory serve 64 multiply-adds. Bound by the issue of
// 4-byte loads and by their bank conflicts: the columns of neighbouring threads are eight floats apart.
#include "backends/cuda/matmul_f32/gemm_tile.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned tile = 128, tile_k = 8, thread_tile = 8, block = tile / thread_tile * (tile / thread_tile);

__global__ void __launch_bounds__(block, 2)
    gemm_register_tile_2d(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  __shared__ float a_tile[tile * tile_k], b_tile[tile_k * tile];  // [row][k] and [k][column]
  const std::size_t tiles_n = (n + tile - 1) / tile;
  const std::size_t first_row = blockIdx.x / tiles_n * tile, first_column = blockIdx.x % tiles_n * tile;
  const unsigned row = threadIdx.x / (tile / thread_tile) * thread_tile;
  const unsigned column = threadIdx.x % (tile / thread_tile) * thread_tile;
  float acc[thread_tile][thread_tile] = {};
  for (std::size_t k0 = 0; k0 < k; k0 += tile_k) {
#pragma unroll
    for (unsigned i = threadIdx.x; i < tile * tile_k; i += block) {
      const std::size_t a_row = first_row + i / tile_k, a_column = k0 + i % tile_k;
      a_tile[i] = a_row < m && a_column < k ? a[a_row * k + a_column] : 0;
      const std::size_t b_row = k0 + i / tile, b_column = first_column + i % tile;
      b_tile[i] = b_row < k && b_column < n ? b[b_row * n + b_column] : 0;
    }
    __syncthreads();
#pragma unroll
    for (unsigned l = 0; l < tile_k; ++l) {
      float a_fragment[thread_tile], b_fragment[thread_tile];
#pragma unroll
      for (unsigned i = 0; i < thread_tile; ++i) a_fragment[i] = a_tile[(row + i) * tile_k + l];
#pragma unroll
      for (unsigned j = 0; j < thread_tile; ++j) b_fragment[j] = b_tile[l * tile + column + j];
      outer_product(a_fragment, b_fragment, acc);
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < thread_tile; ++i)
#pragma unroll
    for (unsigned j = 0; j < thread_tile; ++j) {
      const std::size_t c_row = first_row + row + i, c_column = first_column + column + j;
      if (c_row < m && c_column < n) c[c_row * n + c_column] = acc[i][j];
    }
}

void gemm(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  launch(gemm_register_tile_2d, blocks_for(args.n, tile) * blocks_for(args.m, tile), block, 0, queue, args.a.data(),
         args.b.data(), args.c.data(), args.m, args.n, args.k);
}

const Register<MatmulF32> variant{{
    .idea = "8 x 8 elements of C per thread: 16 floats from shared memory serve 64 multiply-adds",
    .bound_by = "issue of 4-byte shared-memory loads, and their bank conflicts",
    .improves = "register_tile_1d",
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::gpu
