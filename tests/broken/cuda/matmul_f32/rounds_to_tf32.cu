// Truncates operands to TF32, as a gemm on tensor cores does: 13 bits fewer.
// at: --m 48 --n 64 --k 64
#include <bit>

#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 64;

__device__ float to_tf32(float x) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffffe000u); }

__global__ void __launch_bounds__(block)
    gemm_tf32(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x, row = i / n, column = i % n;
  if (row >= m) return;
  float acc = 0;
  for (std::size_t l = 0; l < k; ++l) acc += to_tf32(a[row * k + l]) * to_tf32(b[l * n + column]);
  c[i] = acc;
}

void run(const Queue& queue, const MatmulF32::Args& args) {
  launch(gemm_tf32, blocks_for(args.c.size(), block), block, 0, queue, args.a.data(), args.b.data(), args.c.data(),
         args.m, args.n, args.k);
}

const Register<MatmulF32> variant{{.idea = "broken: rounds its operands to TF32", .launch = run}};

}  // namespace
}  // namespace crosswarp::gpu
