// cublasSgemm in pedantic math mode, which computes in float throughout: the library's yardstick.
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f32.hpp"

#if CROSSWARP_HAS_CUBLAS
#include "backends/cuda/cublas.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_CUBLAS
void prepare(const Queue& queue, const MatmulF32::Args&) {
  cublas_handle(queue.stream);  // created here, not in a launch
}

/// Row-major C = A·B is column-major Cᵀ = Bᵀ·Aᵀ: the operands swap.
void gemm(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  if (args.k == 0) return clear(queue, args.c);  // leading dimensions must not be 0
  const auto m = static_cast<int>(args.m), n = static_cast<int>(args.n), k = static_cast<int>(args.k);
  const float one = 1, zero = 0;
  const cublasHandle_t handle = cublas_handle(queue.stream);
  check(cublas().set_math_mode(handle, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
  check(cublas().sgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, args.b.data(), n, args.a.data(), k, &zero,
                       args.c.data(), n),
        "cublasSgemm");
  check(cublas().set_math_mode(handle, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");  // the handle is shared
}
#endif

/// The library's sizes are ints.
bool applies(const Point& point) {
  constexpr std::int64_t max = std::numeric_limits<int>::max();
  return point.integer("m") <= max && point.integer("n") <= max && point.integer("k") <= max;
}

const Register<MatmulF32> variant{{
    .idea = "cublasSgemm in pedantic math mode: float throughout",
    .needs = {"cublas"},
    .library = true,
    .applies = applies,
#if CROSSWARP_HAS_CUBLAS
    .prepare = prepare,
    .missing = why_no_cublas,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
