// Scales by A's factor alone.
// at: --m 33 --n 31 --k 64 --scale tensor
#include "backends/gpu/kernel.hpp"
#include "core/float8.hpp"
#include "experiments/matmul_f8.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 64;

__global__ void __launch_bounds__(block)
    gemm_half_scaled(const std::uint8_t* a, const std::uint8_t* b, Bfloat16* c, const float* factors, std::size_t m,
                     std::size_t n, std::size_t k) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x, row = i / n, column = i % n;
  if (row >= m) return;
  float sum = 0;
  for (std::size_t l = 0; l < k; ++l) sum += to_float(E4m3{a[row * k + l]}) * to_float(E4m3{b[column * k + l]});
  c[i] = to_bfloat16(factors[0] * sum);
}

void gemm(const Queue& queue, const MatmulF8::Args& args) {
  launch(gemm_half_scaled, blocks_for(args.m * args.n, block), block, 0, queue, args.a.data(), args.b.data(),
         args.c_as<Bfloat16>(), args.scales.data(), args.m, args.n, args.k);
}

const Register<MatmulF8> variant{{.idea = "broken: scales by one of two factors", .launch = gemm}};

}  // namespace
}  // namespace crosswarp::gpu
