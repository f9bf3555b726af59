// Correct except for one tile of C, shifted by a column.
// at: --m 48 --n 64 --k 64
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 64;
constexpr std::size_t tile = 16;

__global__ void __launch_bounds__(block)
    gemm_shifted_tile(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x, row = i / n, column = i % n;
  if (row >= m) return;
  const std::size_t b_column = row / tile == 1 && column / tile == 2 ? column - 1 : column;
  float acc = 0;
  for (std::size_t l = 0; l < k; ++l) acc += a[row * k + l] * b[l * n + b_column];
  c[i] = acc;
}

void run(const Queue& queue, const MatmulF32::Args& args) {
  launch(gemm_shifted_tile, blocks_for(args.c.size(), block), block, 0, queue, args.a.data(), args.b.data(),
         args.c.data(), args.m, args.n, args.k);
}

const Register<MatmulF32> variant{{.idea = "broken: shifts one tile by a column", .launch = run}};

}  // namespace
}  // namespace crosswarp::gpu
