// Square tiles of A and B in shared memory, a thread an element of C: each float from global memory serves a tile's
// side of multiply-adds. Bound by shared memory, with two loads for each multiply-add.
#include "backends/cuda/device/with_constant.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

template <unsigned side>
__global__ void __launch_bounds__(side* side)
    multiply_shared(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  __shared__ float of_a[side][side], of_b[side][side];
  const std::size_t tiles_across = (n + side - 1) / side;
  const std::size_t row = blockIdx.x / tiles_across * side + threadIdx.y;
  const std::size_t column = blockIdx.x % tiles_across * side + threadIdx.x;
  float sum = 0;
  for (std::size_t at = 0; at < k; at += side) {
    const std::size_t of_row = at + threadIdx.x, of_column = at + threadIdx.y;
    of_a[threadIdx.y][threadIdx.x] = row < m && of_row < k ? a[row * k + of_row] : 0;
    of_b[threadIdx.y][threadIdx.x] = of_column < k && column < n ? b[of_column * n + column] : 0;
    __syncthreads();
#pragma unroll
    for (unsigned l = 0; l < side; ++l) sum += of_a[threadIdx.y][l] * of_b[l][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

void multiply(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  with_constant<32, 16>(queue.tuning["side"], [&]<unsigned side>() {
    launch(multiply_shared<side>, blocks_for(args.n, side) * blocks_for(args.m, side), dim3(side, side), 0, queue,
           args.a.data(), args.b.data(), args.c.data(), args.m, args.n, args.k);
  });
}

const Register<MatmulF32> variant{{
    .idea = "square tiles of A and B in shared memory, a thread an element: bound by shared memory's loads",
    .improves = "naive_32x8",
    .tunings = {{{{"side", 32}}}, {{{"side", 16}}}},
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::gpu
