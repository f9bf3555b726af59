// cuBLASLt at its best: cublasLtMatmul with the fastest of the first eight algorithms that its heuristic returns, timed
// once for each shape; fast or promoted accumulation as asked (CUBLASLT_MATMUL_DESC_FAST_ACCUM). The yardstick.
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f8.hpp"

#if CROSSWARP_HAS_CUBLAS
#include "backends/cuda/cublaslt_gemm.hpp"
#endif

namespace crosswarp::gpu {
namespace {

/// The library takes 8-bit matrices whose rows, and those of C, begin at multiples of 16 elements.
bool suits_the_library(const Point& point) { return point.integer("k") % 16 == 0 && point.integer("n") % 16 == 0; }

#if CROSSWARP_HAS_CUBLAS
LtGemm::Pointers pointers(const MatmulF8::Args& args) { return {args.a.data(), args.b.data(), args.c.data()}; }

/// Each set of inputs has factors of its own.
void set_scales(const LtGemm& gemm, const MatmulF8::Args& args) {
  if (args.scales.empty()) return;
  gemm.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, args.scales.data() + MatmulF8::factor_pitch);
  gemm.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, args.scales.data());
}

LtGemm make_gemm(const Queue& queue, const MatmulF8::Args& args) {
  LtGemm gemm({args.e5m2 ? CUDA_R_8F_E5M2 : CUDA_R_8F_E4M3, args.m, args.k}, {CUDA_R_8F_E4M3, args.n, args.k},
              {args.f32_out ? CUDA_R_32F : CUDA_R_16BF, args.m, args.n}, true);
  gemm.set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, static_cast<std::int8_t>(args.promoted ? 0 : 1));
  set_scales(gemm, args);  // the heuristic looks at them
  gemm.choose<MatmulF8>(queue, args, [&](const MatmulF8::Args& set) {
    set_scales(gemm, set);
    return pointers(set);
  });
  return gemm;
}

const LtGemm& library_gemm(const Queue& queue, const MatmulF8::Args& args) {
  static CachedByProblem<MatmulF8, LtGemm> known(make_gemm);
  return known(queue, args);
}

bool is_empty(const MatmulF8::Args& args) { return args.m == 0 || args.n == 0 || args.k == 0; }

void prepare(const Queue& queue, const MatmulF8::Args& args) {
  if (!is_empty(args)) library_gemm(queue, args);
}

void gemm(const Queue& queue, const MatmulF8::Args& args) {
  if (is_empty(args)) return clear(queue, args.c);
  const LtGemm& library = library_gemm(queue, args);
  set_scales(library, args);
  library.launch(queue, pointers(args));
}
#endif

// `tma` stands for the 8-bit matrix instructions of sm_89 and later, as in mma_multistage.
const Register<MatmulF8> variant{{
    .idea = "cublasLtMatmul, the fastest of the first eight algorithms of its heuristic",
    .bound_by = "the matrix units and, at large sizes, power",
    .needs = {"cublas", "tma"},
    .library = true,
    .applies = suits_the_library,
#if CROSSWARP_HAS_CUBLAS
    .workspace = [](const Queue&, const MatmulF8::Args&) { return cublaslt_workspace_bytes; },
    .prepare = prepare,
    .missing = why_no_cublaslt,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
