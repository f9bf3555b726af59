// A correct bfloat16 GEMM, but one element of C is zero.
// at: --m 48 --n 32 --k 1024 --type bf16
#include "backends/gpu/kernel.hpp"
#include "core/half.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 64;

__global__ void __launch_bounds__(block) gemm_but_one(const std::uint16_t* a, const std::uint16_t* b, Bfloat16* c,
                                                      std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x, row = i / n, column = i % n;
  if (row >= m) return;
  float sum = 0;
  for (std::size_t l = 0; l < k; ++l) sum += to_float(Bfloat16{a[row * k + l]}) * to_float(Bfloat16{b[l * n + column]});
  c[i] = to_bfloat16(row == m / 2 && column == n / 2 ? 0 : sum);
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  launch(gemm_but_one, blocks_for(args.m * args.n, block), block, 0, queue, args.a.data(), args.b.data(),
         args.c_as<Bfloat16>(), args.m, args.n, args.k);
}

const Register<MatmulF16> variant{{.idea = "broken: zeroes one element", .launch = gemm}};

}  // namespace
}  // namespace crosswarp::gpu
