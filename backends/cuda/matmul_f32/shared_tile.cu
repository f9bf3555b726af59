// Square tiles of A and B in shared memory, one thread per element of C: each global load serves `side` multiply-adds.
// Bound by shared-memory loads: two per multiply-add.
#include "backends/cuda/device/with_constant.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

template <unsigned side>
__global__ void __launch_bounds__(side* side)
    gemm_shared_tile(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  __shared__ float a_tile[side][side], b_tile[side][side];
  const std::size_t tiles_n = (n + side - 1) / side;
  const std::size_t row = blockIdx.x / tiles_n * side + threadIdx.y;
  const std::size_t column = blockIdx.x % tiles_n * side + threadIdx.x;
  float acc = 0;
  for (std::size_t k0 = 0; k0 < k; k0 += side) {
    const std::size_t a_column = k0 + threadIdx.x, b_row = k0 + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] = row < m && a_column < k ? a[row * k + a_column] : 0;
    b_tile[threadIdx.y][threadIdx.x] = b_row < k && column < n ? b[b_row * n + column] : 0;
    __syncthreads();
#pragma unroll
    for (unsigned l = 0; l < side; ++l) acc += a_tile[threadIdx.y][l] * b_tile[l][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = acc;
}

void gemm(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  with_constant<32, 16>(queue.tuning["side"], [&]<unsigned side>() {
    launch(gemm_shared_tile<side>, blocks_for(args.n, side) * blocks_for(args.m, side), dim3(side, side), 0, queue,
           args.a.data(), args.b.data(), args.c.data(), args.m, args.n, args.k);
  });
}

const Register<MatmulF32> variant{{
    .idea = "square tiles of A and B in shared memory, one thread per element of C",
    .bound_by = "shared-memory loads: two per multiply-add",
    .improves = "naive_32x8",
    .tunings = {{{{"side", 32}}}, {{{"side", 16}}}},
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::gpu
