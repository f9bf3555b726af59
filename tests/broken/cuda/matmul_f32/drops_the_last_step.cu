// Drops the tail of k, as a kernel of whole k-tiles of four: wrong wherever k is no multiple of four.
// at: --m 33 --n 65 --k 31
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 64;

__global__ void __launch_bounds__(block)
    gemm_whole_k_tiles(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x, row = i / n, column = i % n;
  if (row >= m) return;
  float acc = 0;
  for (std::size_t l = 0; l < k / 4 * 4; ++l) acc += a[row * k + l] * b[l * n + column];
  c[i] = acc;
}

void run(const Queue& queue, const MatmulF32::Args& args) {
  launch(gemm_whole_k_tiles, blocks_for(args.c.size(), block), block, 0, queue, args.a.data(), args.b.data(),
         args.c.data(), args.m, args.n, args.k);
}

const Register<MatmulF32> variant{{.idea = "broken: drops the tail of k", .launch = run}};

}  // namespace
}  // namespace crosswarp::gpu
