// cuBLASLt at its best: cublasLtMatmul with the fastest of the first eight algorithms that its heuristic returns, timed
// once for each shape; fast or promoted accumulation as asked (CUBLASLT_MATMUL_DESC_FAST_ACCUM). The yardstick.
#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f8.hpp"

#if CROSSWARP_HAS_CUBLAS
#include "backends/cuda/cublas.hpp"
#endif

namespace crosswarp::gpu {
namespace {

/// The library takes 8-bit matrices whose rows, and those of C, begin at multiples of 16 elements.
bool suits_the_library(const Point& point) { return point.integer("k") % 16 == 0 && point.integer("n") % 16 == 0; }

#if CROSSWARP_HAS_CUBLAS
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // the library's advice for Hopper

std::size_t workspace(const Queue&, const MatmulF8::Args&) { return workspace_bytes; }

/// Descriptors and algorithm of one problem. Row-major C = A·Bᵀ is column-major Cᵀ = (Bᵀ)ᵀ·Aᵀ: the library's first
/// operand is B, transposed, its second A.
class LibraryGemm {
 public:
  /// Never destroyed: cached for the program's lifetime.
  LibraryGemm(const Queue& queue, const MatmulF8::Args& args) {
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const std::int8_t fast = args.promoted ? 0 : 1;
    const auto n = static_cast<std::int64_t>(args.n), k = static_cast<std::int64_t>(args.k);
    check(cublaslt().desc_create(&description_, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    set(CUBLASLT_MATMUL_DESC_TRANSA, transposed);
    set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast);
    check(cublaslt().layout_create(&b_, CUDA_R_8F_E4M3, args.k, args.n, k), "layout of B");
    check(cublaslt().layout_create(&a_, args.e5m2 ? CUDA_R_8F_E5M2 : CUDA_R_8F_E4M3, args.k, args.m, k), "layout of A");
    check(cublaslt().layout_create(&c_, args.f32_out ? CUDA_R_32F : CUDA_R_16BF, args.n, args.m, n), "layout of C");
    set_scales(args);  // the heuristic looks at them
    choose(queue, args);
  }

  void launch(const Queue& queue, const MatmulF8::Args& args) const {
    check(try_launch(queue, args, algorithm_), "cublasLtMatmul");
  }

 private:
  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) const {
    check(cublaslt().desc_set(description_, attribute, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
  }

  /// Each set of inputs has factors of its own.
  void set_scales(const MatmulF8::Args& args) const {
    if (args.scales.empty()) return;
    set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, args.scales.data() + 1);
    set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, args.scales.data());
  }

  cublasStatus_t try_launch(const Queue& queue, const MatmulF8::Args& args, const cublasLtMatmulAlgo_t& algo) const {
    const float one = 1, zero = 0;
    set_scales(args);
    return cublaslt().matmul(cublaslt_handle(), description_, &one, args.b.data(), b_, args.a.data(), a_, &zero,
                             args.c.data(), c_, args.c.data(), c_, &algo, queue.workspace.data(),
                             queue.workspace.size(), queue.stream);
  }

  void choose(const Queue& queue, const MatmulF8::Args& args) {
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
    check(cublaslt().heuristic(cublaslt_handle(), description_, b_, a_, c_, c_, preference,
                               static_cast<int>(found.size()), found.data(), &count),
          "cublasLtMatmulAlgoGetHeuristic");
    check(cublaslt().preference_destroy(preference), "cublasLtMatmulPreferenceDestroy");
    float least = std::numeric_limits<float>::infinity();
    for (const auto& candidate : std::span(found.data(), static_cast<std::size_t>(count)))
      if (const float took = milliseconds(queue, args, candidate.algo); took < least) {
        least = took;
        algorithm_ = candidate.algo;
      }
    if (least == std::numeric_limits<float>::infinity()) throw Error("cuBLASLt has no kernel for this problem");
  }

  /// The time of ten launches after a first one; infinite where the algorithm is not supported.
  float milliseconds(const Queue& queue, const MatmulF8::Args& args, const cublasLtMatmulAlgo_t& algo) const {
    if (try_launch(queue, args, algo) != CUBLAS_STATUS_SUCCESS) return std::numeric_limits<float>::infinity();
    constexpr int launches = 10;
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    check(cudaEventRecord(begin, queue.stream), "event");
    for (int i = 0; i < launches; ++i) check(try_launch(queue, args, algo), "cublasLtMatmul");
    check(cudaEventRecord(end, queue.stream), "event");
    check(cudaEventSynchronize(end), "wait for an event");
    float took = 0;
    check(cudaEventElapsedTime(&took, begin, end), "elapsed time");
    check(cudaEventDestroy(begin), "event");
    check(cudaEventDestroy(end), "event");
    return took;
  }

  cublasLtMatmulDesc_t description_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
};

const LibraryGemm& library_gemm(const Queue& queue, const MatmulF8::Args& args) {
  using Key = std::tuple<std::string, std::size_t, std::size_t, std::size_t, bool, bool, bool, bool>;
  static std::map<Key, LibraryGemm> known;
  const Key key{queue.device.key, args.m, args.n, args.k, args.e5m2, args.f32_out, args.promoted, args.scales.empty()};
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, LibraryGemm(queue, args)).first->second;
}

bool is_empty(const MatmulF8::Args& args) { return args.m == 0 || args.n == 0 || args.k == 0; }

void prepare(const Queue& queue, const MatmulF8::Args& args) {
  if (!is_empty(args)) library_gemm(queue, args);
}

void gemm(const Queue& queue, const MatmulF8::Args& args) {
  if (is_empty(args)) return clear(queue, args.c);
  library_gemm(queue, args).launch(queue, args);
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
    .workspace = workspace,
    .prepare = prepare,
    .missing = why_no_cublaslt,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
