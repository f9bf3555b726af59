// cuBLASLt at its best: cublasLtMatmul with the fastest of the first eight algorithms that its heuristic returns, timed
// once for each shape. The yardstick.
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f16.hpp"

#if CROSSWARP_HAS_CUBLAS
#include "backends/cuda/cublaslt_gemm.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_CUBLAS
LtGemm::Pointers pointers(const MatmulF16::Args& args) { return {args.a.data(), args.b.data(), args.c.data()}; }

LtGemm make_gemm(const Queue& queue, const MatmulF16::Args& args) {
  const cudaDataType type = args.bf16 ? CUDA_R_16BF : CUDA_R_16F;
  const LtGemm::Matrix b =
      args.b_transposed ? LtGemm::Matrix{type, args.n, args.k} : LtGemm::Matrix{type, args.k, args.n};
  LtGemm gemm({type, args.m, args.k}, b, {args.f32_out ? CUDA_R_32F : type, args.m, args.n}, args.b_transposed);
  gemm.choose<MatmulF16>(queue, args, pointers);
  return gemm;
}

const LtGemm& library_gemm(const Queue& queue, const MatmulF16::Args& args) {
  static CachedByProblem<MatmulF16, LtGemm> known(make_gemm);
  return known(queue, args);
}

bool is_empty(const MatmulF16::Args& args) { return args.m == 0 || args.n == 0 || args.k == 0; }

void prepare(const Queue& queue, const MatmulF16::Args& args) {
  if (!is_empty(args)) library_gemm(queue, args);
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (is_empty(args)) return clear(queue, args.c);
  library_gemm(queue, args).launch(queue, pointers(args));
}
#endif

const Register<MatmulF16> variant{{
    .idea = "cublasLtMatmul, the fastest of the first eight algorithms of its heuristic",
    .bound_by = "the matrix units and, at large sizes, power",
    .needs = {"cublas"},
    .library = true,
#if CROSSWARP_HAS_CUBLAS
    .workspace = [](const Queue&, const MatmulF16::Args&) { return cublaslt_workspace_bytes; },
    .prepare = prepare,
    .missing = why_no_cublaslt,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
