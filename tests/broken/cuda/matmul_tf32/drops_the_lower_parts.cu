// Multiplies operands cut to TF32 once, where 3xTF32 is asked for.
// at: --m 48 --n 32 --k 64 --precision 3xtf32
#include <bit>

#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_tf32.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 64;

__device__ float cut(float x) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffffe000u); }

__global__ void __launch_bounds__(block)
    gemm_once(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x, row = i / n, column = i % n;
  if (row >= m) return;
  float sum = 0;
  for (std::size_t l = 0; l < k; ++l) sum += cut(a[row * k + l]) * cut(b[column * k + l]);
  c[i] = sum;
}

void gemm(const Queue& queue, const MatmulTf32::Args& args) {
  launch(gemm_once, blocks_for(args.c.size(), block), block, 0, queue, args.a.data(), args.b.data(), args.c.data(),
         args.m, args.n, args.k);
}

const Register<MatmulTf32> variant{{.idea = "broken: TF32 in place of 3xTF32", .launch = gemm}};

}  // namespace
}  // namespace crosswarp::gpu
