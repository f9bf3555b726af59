// One thread for each element of C, straight from memory, operands cut to TF32 or split in two. Bound by load requests
// for single elements.
#include "backends/cuda/matmul_tf32/operands.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

/// Neighbouring threads compute neighbouring columns.
template <bool split>
__global__ void __launch_bounds__(block)
    gemm_naive(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i >= m * n) return;
  const float *const row = a + i / n * k, *const column = b + i % n * k;
  float sum = 0;
  for (std::size_t l = 0; l < k; ++l) {
    const float a_high = cut_to_tf32(row[l]), b_high = cut_to_tf32(column[l]);
    sum += a_high * b_high;
    if constexpr (split) sum += a_high * cut_to_tf32(column[l] - b_high) + cut_to_tf32(row[l] - a_high) * b_high;
  }
  c[i] = sum;
}

void gemm(const Queue& queue, const MatmulTf32::Args& args) {
  if (finish_if_empty(queue, args)) return;
  launch(args.split ? gemm_naive<true> : gemm_naive<false>, blocks_for(args.m * args.n, block), block, 0, queue,
         args.a.data(), args.b.data(), args.c.data(), args.m, args.n, args.k);
}

const Register<MatmulTf32> variant{{
    .idea = "one thread for each element of C, operands cut to 11 bits",
    .bound_by = "load requests for single elements",
    .applies = [](const Point& point) { return is_short_for_strided_lanes(shape_of(point)); },
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::gpu
