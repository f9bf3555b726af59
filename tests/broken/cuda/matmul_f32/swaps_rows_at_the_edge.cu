// Right but for the last two rows, each of which is in the other's place where m is odd: what a wrong edge of a tile
// does.
// at: --m 33 --n 65 --k 31
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 64;

__global__ void __launch_bounds__(block)
    multiply_swapped(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x, row = i / n, column = i % n;
  if (row >= m) return;
  const std::size_t of_a = m % 2 && m >= 2 && row + 2 >= m ? (m - 2) + (m - 1 - row) : row;
  float sum = 0;
  for (std::size_t l = 0; l < k; ++l) sum += a[of_a * k + l] * b[l * n + column];
  c[i] = sum;
}

void multiply(const Queue& queue, const MatmulF32::Args& args) {
  launch(multiply_swapped, blocks_for(args.c.size(), block), block, 0, queue, args.a.data(), args.b.data(),
         args.c.data(), args.m, args.n, args.k);
}

const Register<MatmulF32> variant{{.idea = "broken: swaps the last two rows of odd heights", .launch = multiply}};

}  // namespace
}  // namespace crosswarp::gpu
