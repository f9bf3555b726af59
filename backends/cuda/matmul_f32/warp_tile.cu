// Warp tiles: the 32 threads of a warp share 64 × 32 elements of C, so that a shared-memory wavefront serves half of
// them at once, without bank conflicts. Bound by the latency of the next k-tile, which nothing overlaps, and by the
// issue of multiply-adds.
#include "backends/cuda/matmul_f32/gemm_tile.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned tile = 128, tile_k = 8, warp_m = 64, warp_n = 32, block = 256;

template <bool aligned>
__global__ void __launch_bounds__(block, 2)
    gemm_warp_tile(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  // The padding spreads a thread's four transposed stores over the banks.
  alignas(16) __shared__ float a_tile[tile_k][tile + 4], b_tile[tile_k][tile];
  const std::size_t tiles_n = (n + tile - 1) / tile;
  const std::size_t first_row = blockIdx.x / tiles_n * tile, first_column = blockIdx.x % tiles_n * tile;
  // Each thread loads four elements of a row of A and four of a row of B per k-tile …
  const unsigned a_row = threadIdx.x / 2, a_column = threadIdx.x % 2 * 4;
  const unsigned b_row = threadIdx.x / 32, b_column = threadIdx.x % 32 * 4;
  // … and computes four squares of 4 × 4 elements of C, half a warp tile apart in either direction.
  const unsigned warp = threadIdx.x / 32;
  const unsigned row = warp / (tile / warp_n) * warp_m + lane_row() * 4;
  const unsigned column = warp % (tile / warp_n) * warp_n + lane_column() * 4;
  float acc[8][8] = {};
  for (std::size_t k0 = 0; k0 < k; k0 += tile_k) {
    const float4 from_a =
        load_padded<aligned>(a + (first_row + a_row) * k, k0 + a_column, first_row + a_row < m ? k : 0);
    const float4 from_b = load_padded<aligned>(b + (k0 + b_row) * n, first_column + b_column, k0 + b_row < k ? n : 0);
    a_tile[a_column][a_row] = from_a.x;
    a_tile[a_column + 1][a_row] = from_a.y;
    a_tile[a_column + 2][a_row] = from_a.z;
    a_tile[a_column + 3][a_row] = from_a.w;
    *reinterpret_cast<float4*>(&b_tile[b_row][b_column]) = from_b;
    __syncthreads();
#pragma unroll
    for (unsigned l = 0; l < tile_k; ++l) {
      float4 a4[2], b4[2];
#pragma unroll
      for (unsigned half = 0; half < 2; ++half) {
        a4[half] = load_vector(&a_tile[l][row + half * (warp_m / 2)]);
        b4[half] = load_vector(&b_tile[l][column + half * (warp_n / 2)]);
      }
      const float a_fragment[8] = {a4[0].x, a4[0].y, a4[0].z, a4[0].w, a4[1].x, a4[1].y, a4[1].z, a4[1].w};
      const float b_fragment[8] = {b4[0].x, b4[0].y, b4[0].z, b4[0].w, b4[1].x, b4[1].y, b4[1].z, b4[1].w};
      outer_product(a_fragment, b_fragment, acc);
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 8; ++i) {
    const std::size_t c_row = first_row + (row + i / 4 * (warp_m / 2)) + i % 4;
    if (c_row >= m) continue;
#pragma unroll
    for (unsigned half = 0; half < 2; ++half)
      store_clipped<aligned>(c + c_row * n, first_column + (column + half * (warp_n / 2)), n, &acc[i][4 * half]);
  }
}

void gemm(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  dispatch_alignment(args, [&]<bool aligned>() {
    launch(gemm_warp_tile<aligned>, blocks_for(args.n, tile) * blocks_for(args.m, tile), block, 0, queue, args.a.data(),
           args.b.data(), args.c.data(), args.m, args.n, args.k);
  });
}

const Register<MatmulF32> variant{{
    .idea = "a warp tile of 64 x 32: neighbouring threads read the same or adjacent operands, without bank conflicts",
    .bound_by = "latency of the next k-tile",
    .improves = "vectorized",
    .launch = gemm,
    .instructions = {{"FFMA", 512}, {"LDS.128", 32}},
}};

}  // namespace
}  // namespace crosswarp::gpu
