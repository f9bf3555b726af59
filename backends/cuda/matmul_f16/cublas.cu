// cuBLAS, as most programs call it: cublasGemmEx, which picks a kernel by shape. The yardstick.
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f16.hpp"

#if CROSSWARP_HAS_CUBLAS
#include "backends/cuda/cublas.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_CUBLAS
void prepare(const Queue& queue, const MatmulF16::Args&) { cublas_handle(queue.stream); }

/// Row-major C = A·B is column-major Cᵀ = Bᵀ·Aᵀ.
void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (args.k == 0) return clear(queue, args.c);
  if (args.m == 0 || args.n == 0) return;
  const auto m = static_cast<int>(args.m), n = static_cast<int>(args.n), k = static_cast<int>(args.k);
  const cudaDataType type = args.bf16 ? CUDA_R_16BF : CUDA_R_16F;
  const float one = 1, zero = 0;
  const cublasHandle_t handle = cublas_handle(queue.stream);
  // By default it may add split-K's partial sums in the output's type, and exceed the error bound.
  check(cublas().set_math_mode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION), "cublasSetMathMode");
  check(cublas().gemm_ex(handle, args.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                         args.b.data(), type, args.b_transposed ? k : n, args.a.data(), type, k, &zero, args.c.data(),
                         args.f32_out ? CUDA_R_32F : type, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
  check(cublas().set_math_mode(handle, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");  // the handle is shared
}
#endif

const Register<MatmulF16> variant{{
    .idea = "cublasGemmEx, the library's own choice of a kernel",
    .bound_by = "the matrix units and, at large sizes, power",
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
