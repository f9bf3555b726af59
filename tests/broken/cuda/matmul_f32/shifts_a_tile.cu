// Right but for one tile of C, which has the elements one column to the left of its own.
// at: --m 48 --n 64 --k 64
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 64;
constexpr std::size_t tile = 16;

__global__ void __launch_bounds__(block)
    multiply_shifted(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x, row = i / n, column = i % n;
  if (row >= m) return;
  const std::size_t of_b = row / tile == 1 && column / tile == 2 ? column - 1 : column;
  float sum = 0;
  for (std::size_t l = 0; l < k; ++l) sum += a[row * k + l] * b[l * n + of_b];
  c[i] = sum;
}

void multiply(const Queue& queue, const MatmulF32::Args& args) {
  launch(multiply_shifted, blocks_for(args.c.size(), block), block, 0, queue, args.a.data(), args.b.data(),
         args.c.data(), args.m, args.n, args.k);
}

const Register<MatmulF32> variant{{.idea = "broken: shifts one tile by a column", .launch = multiply}};

}  // namespace
}  // namespace crosswarp::gpu
