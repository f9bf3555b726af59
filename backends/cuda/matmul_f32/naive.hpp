// One thread per element of C; operands come straight from global memory.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

template <unsigned block_x, unsigned block_y>
__global__ void __launch_bounds__(block_x* block_y)
    gemm_naive(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t tiles_n = (n + block_x - 1) / block_x;
  const std::size_t row = blockIdx.x / tiles_n * block_y + threadIdx.y;
  const std::size_t column = blockIdx.x % tiles_n * block_x + threadIdx.x;
  if (row >= m || column >= n) return;
  float acc = 0;
  for (std::size_t l = 0; l < k; ++l) acc += a[row * k + l] * b[l * n + column];
  c[row * n + column] = acc;
}

template <unsigned block_x, unsigned block_y>
void launch_naive(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  launch(gemm_naive<block_x, block_y>, blocks_for(args.n, block_x) * blocks_for(args.m, block_y),
         dim3(block_x, block_y), 0, queue, args.a.data(), args.b.data(), args.c.data(), args.m, args.n, args.k);
}

}  // namespace
}  // namespace crosswarp::gpu
