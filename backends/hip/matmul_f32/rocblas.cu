// rocblas_sgemm, which computes in float throughout: the library's yardstick.
#include "backends/gpu/kernel.hpp"
#include "backends/hip/rocblas.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_ROCBLAS
void prepare(const Queue& queue, const MatmulF32::Args&) {
  handle_of_rocblas(queue.stream);  // created here, not in a launch
}

/// Row-major C = A·B is column-major Cᵀ = Bᵀ·Aᵀ: the operands swap.
void gemm(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  if (args.k == 0) return clear(queue, args.c);  // leading dimensions must not be 0
  const auto m = static_cast<int>(args.m), n = static_cast<int>(args.n), k = static_cast<int>(args.k);
  const float one = 1, zero = 0;
  check(rocblas().sgemm(handle_of_rocblas(queue.stream), rocblas_operation_none, rocblas_operation_none, n, m, k, &one,
                        args.b.data(), n, args.a.data(), k, &zero, args.c.data(), n),
        "rocblas_sgemm");
}
#endif

/// The library's sizes are ints.
bool applies(const Point& point) {
  constexpr std::int64_t max = std::numeric_limits<int>::max();
  return point.integer("m") <= max && point.integer("n") <= max && point.integer("k") <= max;
}

const Register<MatmulF32> variant{{
    .idea = "rocblas_sgemm: float throughout",
    .counterparts = {"cublas"},
#if !CROSSWARP_HAS_ROCBLAS
    .not_expressible = "needs rocBLAS for AMD's GPUs, whose headers this build has not found",
#endif
    .library = true,
    .applies = applies,
#if CROSSWARP_HAS_ROCBLAS
    .prepare = prepare,
    .missing = why_no_rocblas,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
