// The library's bfloat16 GEMM at 4096, then one element of C set to zero: one of 16.8 million.
// at: --m 4096 --n 4096 --k 4096 --layout nn --type bf16 --out same
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f16.hpp"

#if CROSSWARP_HAS_CUBLAS
#include "backends/cuda/cublas.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_CUBLAS
/// Row-major C = A·B is column-major Cᵀ = Bᵀ·Aᵀ.
void gemm(const Queue& queue, const MatmulF16::Args& args) {
  const auto m = static_cast<int>(args.m), n = static_cast<int>(args.n), k = static_cast<int>(args.k);
  const float one = 1, zero = 0;
  check(cublas().gemm_ex(cublas_handle(queue.stream), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, args.b.data(),
                         CUDA_R_16BF, n, args.a.data(), CUDA_R_16BF, k, &zero, args.c.data(), CUDA_R_16BF, n,
                         CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
  clear(queue, std::span(args.c_as<std::uint16_t>() + args.m / 2 * args.n + args.n / 2, 1));
}
#endif

const Register<MatmulF16> variant{{
    .idea = "broken: zeroes one element of a large product",
    .needs = {"cublas"},
#if CROSSWARP_HAS_CUBLAS
    .prepare = [](const Queue& queue, const MatmulF16::Args&) { cublas_handle(queue.stream); },
    .missing = why_no_cublas,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
