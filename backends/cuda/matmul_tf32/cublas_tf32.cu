// cuBLAS in TF32: cublasGemmEx with CUBLAS_COMPUTE_32F_FAST_TF32. The yardstick of precision tf32.
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_tf32.hpp"

#if CROSSWARP_HAS_CUBLAS
#include "backends/cuda/cublas.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_CUBLAS
void prepare(const Queue& queue, const MatmulTf32::Args&) { cublas_handle(queue.stream); }

/// Row-major C = A·Bᵀ is column-major Cᵀ = (Bᵀ)ᵀ·Aᵀ.
void gemm(const Queue& queue, const MatmulTf32::Args& args) {
  if (args.k == 0) return clear(queue, args.c);
  if (args.m == 0 || args.n == 0) return;
  const auto m = static_cast<int>(args.m), n = static_cast<int>(args.n), k = static_cast<int>(args.k);
  const float one = 1, zero = 0;
  check(cublas().gemm_ex(cublas_handle(queue.stream), CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &one, args.b.data(),
                         CUDA_R_32F, k, args.a.data(), CUDA_R_32F, k, &zero, args.c.data(), CUDA_R_32F, n,
                         CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}
#endif

bool is_tf32(const Point& point) { return point.word("precision") == "tf32"; }

const Register<MatmulTf32> variant{{
    .idea = "cublasGemmEx with CUBLAS_COMPUTE_32F_FAST_TF32",
    .bound_by = "the matrix units",
    .needs = {"cublas"},
    .library = true,
    .applies = is_tf32,
#if CROSSWARP_HAS_CUBLAS
    .prepare = prepare,
    .missing = why_no_cublas,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
