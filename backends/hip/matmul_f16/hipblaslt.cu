// hipBLASLt at its best: hipblasLtMatmul with the fastest of the first eight algorithms that its heuristic returns,
// timed once for each shape. The yardstick.
#include <algorithm>
#include <array>

#include "backends/gpu/cached_by_problem.hpp"
#include "backends/hip/rocblas.hpp"
#include "experiments/matmul_f16.hpp"

#if CROSSWARP_HAS_HIPBLASLT
#include "backends/gpu/fastest.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_HIPBLASLT
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // as cuBLASLt's row has

std::size_t workspace(const Queue&, const MatmulF16::Args&) { return workspace_bytes; }

/// Descriptors and algorithm of one problem. Row-major C = A·B is column-major Cᵀ = Bᵀ·Aᵀ.
struct LibraryGemm {
  hipblasLtMatmulDesc_t description = nullptr;
  hipblasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  hipblasLtMatmulAlgo_t algorithm{};

  /// Never destroyed: cached for the program's lifetime.
  LibraryGemm(const Queue& queue, const MatmulF16::Args& args) {
    const hipDataType type = args.bf16 ? HIP_R_16BF : HIP_R_16F;
    const std::int32_t b_operation = args.b_transposed ? HIPBLAS_OP_T : HIPBLAS_OP_N;
    const auto n = static_cast<std::int64_t>(args.n), k = static_cast<std::int64_t>(args.k);
    check(hipblaslt().desc_create(&description, HIPBLAS_COMPUTE_32F, HIP_R_32F), "hipblasLtMatmulDescCreate");
    check(hipblaslt().desc_set(description, HIPBLASLT_MATMUL_DESC_TRANSA, &b_operation, sizeof b_operation),
          "transpose");
    check(args.b_transposed ? hipblaslt().layout_create(&b, type, args.k, args.n, k)
                            : hipblaslt().layout_create(&b, type, args.n, args.k, n),
          "layout of B");
    check(hipblaslt().layout_create(&a, type, args.k, args.m, k), "layout of A");
    check(hipblaslt().layout_create(&c, args.f32_out ? HIP_R_32F : type, args.n, args.m, n), "layout of C");
    choose(queue, args);
  }

  hipblasStatus_t launch(const Queue& queue, const MatmulF16::Args& args, const hipblasLtMatmulAlgo_t& algo) const {
    const float one = 1, zero = 0;
    return hipblaslt().matmul(hipblaslt_handle(), description, &one, args.b.data(), b, args.a.data(), a, &zero,
                              args.c.data(), c, args.c.data(), c, &algo, queue.workspace.data(), queue.workspace.size(),
                              queue.stream);
  }

 private:
  void choose(const Queue& queue, const MatmulF16::Args& args) {
    hipblasLtMatmulPreference_t preference = nullptr;
    check(hipblaslt().preference_create(&preference), "hipblasLtMatmulPreferenceCreate");
    check(hipblaslt().preference_set(preference, HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                     sizeof workspace_bytes),
          "workspace");
    std::array<hipblasLtMatmulHeuristicResult_t, 8> found{};
    int count = 0;
    check(hipblaslt().heuristic(hipblaslt_handle(), description, b, a, c, c, preference, static_cast<int>(found.size()),
                                found.data(), &count),
          "hipblasLtMatmulAlgoGetHeuristic");
    check(hipblaslt().preference_destroy(preference), "hipblasLtMatmulPreferenceDestroy");
    const auto end = std::remove_if(found.begin(), found.begin() + count, [&](const auto& candidate) {
      return launch(queue, args, candidate.algo) != HIPBLAS_STATUS_SUCCESS;
    });
    if (end == found.begin()) throw Error("hipBLASLt has no kernel for this problem");
    const auto launch_found = [&](const MatmulF16::Args& set, std::size_t i) {
      check(launch(queue, set, found[i].algo), "hipblasLtMatmul");
    };
    algorithm =
        found[fastest<MatmulF16>(queue, args, static_cast<std::size_t>(end - found.begin()), launch_found)].algo;
  }
};

const LibraryGemm& library_gemm(const Queue& queue, const MatmulF16::Args& args) {
  static CachedByProblem<MatmulF16, LibraryGemm> known(
      [](const Queue& on, const MatmulF16::Args& problem) { return LibraryGemm(on, problem); });
  return known(queue, args);
}

bool is_empty(const MatmulF16::Args& args) { return args.m == 0 || args.n == 0 || args.k == 0; }

void prepare(const Queue& queue, const MatmulF16::Args& args) {
  if (!is_empty(args)) library_gemm(queue, args);
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (is_empty(args)) return clear(queue, args.c);
  const LibraryGemm& library = library_gemm(queue, args);
  check(library.launch(queue, args, library.algorithm), "hipblasLtMatmul");
}
#endif

const Register<MatmulF16> variant{{
    .idea = "hipblasLtMatmul, the fastest of the first eight algorithms of its heuristic",
    .bound_by = "the matrix units and, at large sizes, power",
    .counterparts = {"cublaslt"},
#if !CROSSWARP_HAS_HIPBLASLT
    .not_expressible = "needs hipBLASLt for AMD's GPUs, whose headers this build has not found",
#endif
    .library = true,
#if CROSSWARP_HAS_HIPBLASLT
    .workspace = workspace,
    .prepare = prepare,
    .missing = why_no_hipblaslt,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
