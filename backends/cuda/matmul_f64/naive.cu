// One thread for each element of C, straight from memory: the naive product. Bound by loads: two for each multiply-add.
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f64.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned across = 32, down = 8;

__global__ void __launch_bounds__(across* down)
    gemm_naive(const double* a, const double* b, double* c, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t tiles_n = (n + across - 1) / across;
  const std::size_t row = blockIdx.x / tiles_n * down + threadIdx.y;
  const std::size_t column = blockIdx.x % tiles_n * across + threadIdx.x;
  if (row >= m || column >= n) return;
  double sum = 0;
  for (std::size_t l = 0; l < k; ++l) sum += a[row * k + l] * b[l * n + column];
  c[row * n + column] = sum;
}

void gemm(const Queue& queue, const MatmulF64::Args& args) {
  if (args.c.empty()) return;
  launch(gemm_naive, blocks_for(args.n, across) * blocks_for(args.m, down), dim3(across, down), 0, queue, args.a.data(),
         args.b.data(), args.c.data(), args.m, args.n, args.k);
}

const Register<MatmulF64> variant{{
    .idea = "one thread for each element of C",
    .bound_by = "L1: two global loads per multiply-add",
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::gpu
