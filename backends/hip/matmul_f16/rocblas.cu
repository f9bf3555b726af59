// rocBLAS, as most programs call it: rocblas_gemm_ex, which picks a kernel by shape. The yardstick.
#include "backends/gpu/kernel.hpp"
#include "backends/hip/rocblas.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_ROCBLAS
void prepare(const Queue& queue, const MatmulF16::Args&) { handle_of_rocblas(queue.stream); }

/// Row-major C = A·B is column-major Cᵀ = Bᵀ·Aᵀ.
void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (args.k == 0) return clear(queue, args.c);
  if (args.m == 0 || args.n == 0) return;
  const auto m = static_cast<int>(args.m), n = static_cast<int>(args.n), k = static_cast<int>(args.k);
  const rocblas_datatype type = args.bf16 ? rocblas_datatype_bf16_r : rocblas_datatype_f16_r;
  const rocblas_datatype out = args.f32_out ? rocblas_datatype_f32_r : type;
  const float one = 1, zero = 0;
  check(rocblas().gemm_ex(handle_of_rocblas(queue.stream),
                          args.b_transposed ? rocblas_operation_transpose : rocblas_operation_none,
                          rocblas_operation_none, n, m, k, &one, args.b.data(), type, args.b_transposed ? k : n,
                          args.a.data(), type, k, &zero, args.c.data(), out, n, args.c.data(), out, n,
                          rocblas_datatype_f32_r, rocblas_gemm_algo_standard, 0, 0),
        "rocblas_gemm_ex");
}
#endif

const Register<MatmulF16> variant{{
    .idea = "rocblas_gemm_ex, the library's own choice of a kernel",
    .bound_by = "the matrix units and, at large sizes, power",
    .counterparts = {"cublas"},
#if !CROSSWARP_HAS_ROCBLAS
    .not_expressible = "needs rocBLAS for AMD's GPUs, whose headers this build has not found",
#endif
    .library = true,
#if CROSSWARP_HAS_ROCBLAS
    .prepare = prepare,
    .missing = why_no_rocblas,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
