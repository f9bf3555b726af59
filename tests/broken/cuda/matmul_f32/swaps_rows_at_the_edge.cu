// Correct except for the last two rows, swapped where m is odd: an error at a tile's edge.
// at: --m 33 --n 65 --k 31
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 64;

__global__ void __launch_bounds__(block)
    gemm_swapped_rows(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x, row = i / n, column = i % n;
  if (row >= m) return;
  const std::size_t a_row = m % 2 && m >= 2 && row + 2 >= m ? (m - 2) + (m - 1 - row) : row;
  float acc = 0;
  for (std::size_t l = 0; l < k; ++l) acc += a[a_row * k + l] * b[l * n + column];
  c[i] = acc;
}

void run(const Queue& queue, const MatmulF32::Args& args) {
  launch(gemm_swapped_rows, blocks_for(args.c.size(), block), block, 0, queue, args.a.data(), args.b.data(),
         args.c.data(), args.m, args.n, args.k);
}

const Register<MatmulF32> variant{{.idea = "broken: swaps the last two rows of odd heights", .launch = run}};

}  // namespace
}  // namespace crosswarp::gpu
