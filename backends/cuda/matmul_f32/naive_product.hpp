// An element of C by a thread that reads its row of A and its column of B from global memory.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

template <unsigned across, unsigned down>
__global__ void __launch_bounds__(across* down)
    multiply_naively(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t tiles_across = (n + across - 1) / across;
  const std::size_t row = blockIdx.x / tiles_across * down + threadIdx.y;
  const std::size_t column = blockIdx.x % tiles_across * across + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (std::size_t l = 0; l < k; ++l) sum += a[row * k + l] * b[l * n + column];
  c[row * n + column] = sum;
}

/// In blocks of across × down threads.
template <unsigned across, unsigned down>
void launch_naive(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  launch(multiply_naively<across, down>, blocks_for(args.n, across) * blocks_for(args.m, down), dim3(across, down), 0,
         queue, args.a.data(), args.b.data(), args.c.data(), args.m, args.n, args.k);
}

}  // namespace
}  // namespace crosswarp::gpu
