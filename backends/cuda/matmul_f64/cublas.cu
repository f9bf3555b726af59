// cuBLAS in double: cublasGemmEx with CUBLAS_COMPUTE_64F, the library's yardstick. It takes the matrix units where
// there are such for doubles.
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f64.hpp"

#if CROSSWARP_HAS_CUBLAS
#include "backends/cuda/cublas.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_CUBLAS
void prepare(const Queue& queue, const MatmulF64::Args&) { cublas_handle(queue.stream); }

/// Row-major C = A·B is column-major Cᵀ = Bᵀ·Aᵀ: the operands swap.
void gemm(const Queue& queue, const MatmulF64::Args& args) {
  if (args.c.empty()) return;
  if (args.k == 0) return clear(queue, args.c);  // leading dimensions must not be 0
  const auto m = static_cast<int>(args.m), n = static_cast<int>(args.n), k = static_cast<int>(args.k);
  const double one = 1, zero = 0;
  check(cublas().gemm_ex(cublas_handle(queue.stream), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, args.b.data(),
                         CUDA_R_64F, n, args.a.data(), CUDA_R_64F, k, &zero, args.c.data(), CUDA_R_64F, n,
                         CUBLAS_COMPUTE_64F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}
#endif

const Register<MatmulF64> variant{{
    .idea = "cublasGemmEx with CUBLAS_COMPUTE_64F",
    .bound_by = "the matrix units",
    .needs = {"cublas"},
    .library = true,
#if CROSSWARP_HAS_CUBLAS
    .prepare = prepare,
    .missing = why_no_cublas,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
