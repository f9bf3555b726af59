// A thread has 8 × 8 elements of C: 16 floats from shared memory serve 64 multiply-adds. Bound by the issue of loads of
// one float each, and by their bank conflicts: neighbours' columns are eight floats apart.
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned side = 128, depth = 8, each = 8, block = side / each * (side / each);

__global__ void __launch_bounds__(block, 2)
    multiply_squares(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  __shared__ float of_a[side * depth], of_b[depth * side];  // [row][depth] and [depth][column]
  const std::size_t tiles_across = (n + side - 1) / side;
  const std::size_t first_row = blockIdx.x / tiles_across * side, first_column = blockIdx.x % tiles_across * side;
  const unsigned row = threadIdx.x / (side / each) * each, column = threadIdx.x % (side / each) * each;
  float sums[each][each] = {};
  for (std::size_t at = 0; at < k; at += depth) {
#pragma unroll
    for (unsigned i = threadIdx.x; i < side * depth; i += block) {
      const std::size_t a_row = first_row + i / depth, a_column = at + i % depth;
      of_a[i] = a_row < m && a_column < k ? a[a_row * k + a_column] : 0;
      const std::size_t b_row = at + i / side, b_column = first_column + i % side;
      of_b[i] = b_row < k && b_column < n ? b[b_row * n + b_column] : 0;
    }
    __syncthreads();
#pragma unroll
    for (unsigned l = 0; l < depth; ++l) {
      float left[each], right[each];
#pragma unroll
      for (unsigned i = 0; i < each; ++i) left[i] = of_a[(row + i) * depth + l];
#pragma unroll
      for (unsigned j = 0; j < each; ++j) right[j] = of_b[l * side + column + j];
#pragma unroll
      for (unsigned i = 0; i < each; ++i)
#pragma unroll
        for (unsigned j = 0; j < each; ++j) sums[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < each; ++i)
#pragma unroll
    for (unsigned j = 0; j < each; ++j) {
      const std::size_t to_row = first_row + row + i, to_column = first_column + column + j;
      if (to_row < m && to_column < n) c[to_row * n + to_column] = sums[i][j];
    }
}

void multiply(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  launch(multiply_squares, blocks_for(args.n, side) * blocks_for(args.m, side), block, 0, queue, args.a.data(),
         args.b.data(), args.c.data(), args.m, args.n, args.k);
}

const Register<MatmulF32> variant{{
    .idea = "8 x 8 elements by a thread, 16 floats serve 64 multiply-adds: bound by issuing loads of one float each",
    .improves = "register_tile_1d",
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::gpu
