// cuBLASLt at its best: cublasLtMatmul with the fastest of the first eight algorithms that its heuristic returns, timed
// once for each shape. The yardstick.
#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f16.hpp"

#if CROSSWARP_HAS_CUBLAS
#include "backends/cuda/cublas.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_CUBLAS
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // the library's advice for Hopper

std::size_t workspace(const Queue&, const MatmulF16::Args&) { return workspace_bytes; }

/// Descriptors and algorithm of one problem. Row-major C = A·B is column-major Cᵀ = Bᵀ·Aᵀ.
struct LibraryGemm {
  cublasLtMatmulDesc_t description = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulAlgo_t algorithm{};

  /// Never destroyed: cached for the program's lifetime.
  LibraryGemm(const Queue& queue, const MatmulF16::Args& args) {
    const cudaDataType type = args.bf16 ? CUDA_R_16BF : CUDA_R_16F;
    const cublasOperation_t b_operation = args.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const auto n = static_cast<std::int64_t>(args.n), k = static_cast<std::int64_t>(args.k);
    check(cublaslt().desc_create(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    check(cublaslt().desc_set(description, CUBLASLT_MATMUL_DESC_TRANSA, &b_operation, sizeof b_operation), "transpose");
    check(args.b_transposed ? cublaslt().layout_create(&b, type, args.k, args.n, k)
                            : cublaslt().layout_create(&b, type, args.n, args.k, n),
          "layout of B");
    check(cublaslt().layout_create(&a, type, args.k, args.m, k), "layout of A");
    check(cublaslt().layout_create(&c, args.f32_out ? CUDA_R_32F : type, args.n, args.m, n), "layout of C");
    choose(queue, args);
  }

  cublasStatus_t launch(const Queue& queue, const MatmulF16::Args& args, const cublasLtMatmulAlgo_t& algo) const {
    const float one = 1, zero = 0;
    return cublaslt().matmul(cublaslt_handle(), description, &one, args.b.data(), b, args.a.data(), a, &zero,
                             args.c.data(), c, args.c.data(), c, &algo, queue.workspace.data(), queue.workspace.size(),
                             queue.stream);
  }

 private:
  void choose(const Queue& queue, const MatmulF16::Args& args) {
    cublasLtMatmulPreference_t preference = nullptr;
    check(cublaslt().preference_create(&preference), "cublasLtMatmulPreferenceCreate");
    check(cublaslt().preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                    sizeof workspace_bytes),
          "workspace");
    // By default split-K's partial sums may be added in the output's type, and exceed the error bound.
    constexpr std::uint32_t scheme = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    check(cublaslt().preference_set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &scheme, sizeof scheme),
          "reduction scheme");
    std::array<cublasLtMatmulHeuristicResult_t, 8> found{};
    int count = 0;
    check(cublaslt().heuristic(cublaslt_handle(), description, b, a, c, c, preference, static_cast<int>(found.size()),
                               found.data(), &count),
          "cublasLtMatmulAlgoGetHeuristic");
    check(cublaslt().preference_destroy(preference), "cublasLtMatmulPreferenceDestroy");
    float least = std::numeric_limits<float>::infinity();
    for (const auto& candidate : std::span(found.data(), static_cast<std::size_t>(count)))
      if (const float took = milliseconds(queue, args, candidate.algo); took < least) {
        least = took;
        algorithm = candidate.algo;
      }
    if (least == std::numeric_limits<float>::infinity()) throw Error("cuBLASLt has no kernel for this problem");
  }

  /// The time of ten launches after a first one; infinite where the algorithm is not supported.
  float milliseconds(const Queue& queue, const MatmulF16::Args& args, const cublasLtMatmulAlgo_t& algo) const {
    if (launch(queue, args, algo) != CUBLAS_STATUS_SUCCESS) return std::numeric_limits<float>::infinity();
    constexpr int launches = 10;
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    check(cudaEventRecord(begin, queue.stream), "event");
    for (int i = 0; i < launches; ++i) check(launch(queue, args, algo), "cublasLtMatmul");
    check(cudaEventRecord(end, queue.stream), "event");
    check(cudaEventSynchronize(end), "wait for an event");
    float took = 0;
    check(cudaEventElapsedTime(&took, begin, end), "elapsed time");
    check(cudaEventDestroy(begin), "event");
    check(cudaEventDestroy(end), "event");
    return took;
  }
};

const LibraryGemm& library_gemm(const Queue& queue, const MatmulF16::Args& args) {
  using Key = std::tuple<std::string, std::size_t, std::size_t, std::size_t, bool, bool, bool>;
  static std::map<Key, LibraryGemm> known;
  const Key key{queue.device.key, args.m, args.n, args.k, args.bf16, args.b_transposed, args.f32_out};
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, LibraryGemm(queue, args)).first->second;
}

bool is_empty(const MatmulF16::Args& args) { return args.m == 0 || args.n == 0 || args.k == 0; }

void prepare(const Queue& queue, const MatmulF16::Args& args) {
  if (!is_empty(args)) library_gemm(queue, args);
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (is_empty(args)) return clear(queue, args.c);
  const LibraryGemm& library = library_gemm(queue, args);
  check(library.launch(queue, args, library.algorithm), "cublasLtMatmul");
}
#endif

const Register<MatmulF16> variant{{
    .idea = "cublasLtMatmul, the fastest of the first eight algorithms of its heuristic",
    .bound_by = "the matrix units and, at large sizes, power",
    .needs = {"cublas"},
    .library = true,
#if CROSSWARP_HAS_CUBLAS
    .workspace = workspace,
    .prepare = prepare,
    .missing = why_no_cublaslt,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
