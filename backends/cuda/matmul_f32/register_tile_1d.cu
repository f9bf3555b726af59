// A thread has eight elements of a column of C: a float of B from shared memory serves eight multiply-adds. Bound by
// shared memory, with nine loads for eight multiply-adds, eight of which are one word for a whole warp.
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned side = 64, depth = 8, each = 8, block = side * side / each;
static_assert(block == side * depth);  // a thread loads an element of A and one of B

__global__ void __launch_bounds__(block)
    multiply_columns(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  __shared__ float of_a[side][depth], of_b[depth][side];
  const std::size_t tiles_across = (n + side - 1) / side;
  const std::size_t first_row = blockIdx.x / tiles_across * side, first_column = blockIdx.x % tiles_across * side;
  const unsigned a_row = threadIdx.x / depth, a_column = threadIdx.x % depth;
  const unsigned row = threadIdx.x / side, column = threadIdx.x % side;
  float sums[each] = {};
  for (std::size_t at = 0; at < k; at += depth) {
    of_a[a_row][a_column] = first_row + a_row < m && at + a_column < k ? a[(first_row + a_row) * k + at + a_column] : 0;
    of_b[row][column] = at + row < k && first_column + column < n ? b[(at + row) * n + first_column + column] : 0;
    __syncthreads();
#pragma unroll
    for (unsigned l = 0; l < depth; ++l) {
      const float right = of_b[l][column];
#pragma unroll
      for (unsigned i = 0; i < each; ++i) sums[i] += of_a[row * each + i][l] * right;
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < each; ++i)
    if (const std::size_t to_row = first_row + row * each + i; to_row < m && first_column + column < n)
      c[to_row * n + first_column + column] = sums[i];
}

void multiply(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  launch(multiply_columns, blocks_for(args.n, side) * blocks_for(args.m, side), block, 0, queue, args.a.data(),
         args.b.data(), args.c.data(), args.m, args.n, args.k);
}

const Register<MatmulF32> variant{{
    .idea = "eight elements of a column by a thread, each float of B serves eight: bound by shared memory's loads",
    .improves = "shared_tile",
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::gpu
