// Multiplies doubles as sums of two floats each, and drops the product of the two lower ones and what is beyond them:
// 48 of 53 bits. An emulation in float that is nearly right: the deeper the sum, the less it differs from rounding.
// at: --m 48 --n 64 --k 2
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f64.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 64;

__global__ void __launch_bounds__(block)
    gemm_of_pairs(const double* a, const double* b, double* c, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x, row = i / n, column = i % n;
  if (row >= m) return;
  double sum = 0;
  for (std::size_t l = 0; l < k; ++l) {
    const double x = a[row * k + l], y = b[l * n + column];
    const double x_high = static_cast<float>(x), y_high = static_cast<float>(y);
    const double x_low = static_cast<float>(x - x_high), y_low = static_cast<float>(y - y_high);
    sum += x_high * y_high + (x_high * y_low + x_low * y_high);
  }
  c[i] = sum;
}

void gemm(const Queue& queue, const MatmulF64::Args& args) {
  launch(gemm_of_pairs, blocks_for(args.c.size(), block), block, 0, queue, args.a.data(), args.b.data(), args.c.data(),
         args.m, args.n, args.k);
}

const Register<MatmulF64> variant{{.idea = "broken: doubles as pairs of floats", .launch = gemm}};

}  // namespace
}  // namespace crosswarp::gpu
