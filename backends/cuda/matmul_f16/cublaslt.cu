// The vendor's library as those call it who want its best: cublasLtMatmul with the fastest of the first eight kernels
// that its heuristics name, found by trying them once for each shape. The yardstick.
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
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // what the library's guide advises for Hopper

std::size_t workspace(const Queue&, const MatmulF16::Args&) { return workspace_bytes; }

/// What the library needs to know of a product. Row-major matrices are column-major ones transposed: it is asked for
/// Cᵀ = Bᵀ·Aᵀ.
struct LibraryProduct {
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulAlgo_t algorithm{};

  /// Kept as long as the program runs.
  LibraryProduct(const Queue& queue, const MatmulF16::Args& args) {
    const cudaDataType type = args.bf16 ? CUDA_R_16BF : CUDA_R_16F;
    const cublasOperation_t of_b = args.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const auto n = static_cast<std::int64_t>(args.n), k = static_cast<std::int64_t>(args.k);
    check(cublaslt().desc_create(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    check(cublaslt().desc_set(product, CUBLASLT_MATMUL_DESC_TRANSA, &of_b, sizeof of_b), "transpose");
    check(args.b_transposed ? cublaslt().layout_create(&b, type, args.k, args.n, k)
                            : cublaslt().layout_create(&b, type, args.n, args.k, n),
          "layout of B");
    check(cublaslt().layout_create(&a, type, args.k, args.m, k), "layout of A");
    check(cublaslt().layout_create(&c, args.f32_out ? CUDA_R_32F : type, args.n, args.m, n), "layout of C");
    choose(queue, args);
  }

  cublasStatus_t launch(const Queue& queue, const MatmulF16::Args& args, const cublasLtMatmulAlgo_t& by) const {
    const float one = 1, zero = 0;
    return cublaslt().matmul(cublaslt_handle(), product, &one, args.b.data(), b, args.a.data(), a, &zero, args.c.data(),
                             c, args.c.data(), c, &by, queue.workspace.data(), queue.workspace.size(), queue.stream);
  }

 private:
  void choose(const Queue& queue, const MatmulF16::Args& args) {
    cublasLtMatmulPreference_t preference = nullptr;
    check(cublaslt().preference_create(&preference), "cublasLtMatmulPreferenceCreate");
    check(cublaslt().preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                    sizeof workspace_bytes),
          "workspace");
    // Else parts of deep sums are added in the type of the output, which is wrong by more than roundings.
    constexpr std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    check(cublaslt().preference_set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reductions,
                                    sizeof reductions),
          "reductions");
    std::array<cublasLtMatmulHeuristicResult_t, 8> found{};
    int count = 0;
    check(cublaslt().heuristic(cublaslt_handle(), product, b, a, c, c, preference, static_cast<int>(found.size()),
                               found.data(), &count),
          "cublasLtMatmulAlgoGetHeuristic");
    check(cublaslt().preference_destroy(preference), "cublasLtMatmulPreferenceDestroy");
    float least = std::numeric_limits<float>::infinity();
    for (const auto& candidate : std::span(found.data(), static_cast<std::size_t>(count)))
      if (const float took = milliseconds(queue, args, candidate.algo); took < least) {
        least = took;
        algorithm = candidate.algo;
      }
    if (least == std::numeric_limits<float>::infinity()) throw Error("cuBLASLt has no kernel for this product");
  }

  /// Of some launches behind a first one; infinite where there is no such kernel after all.
  float milliseconds(const Queue& queue, const MatmulF16::Args& args, const cublasLtMatmulAlgo_t& by) const {
    if (launch(queue, args, by) != CUBLAS_STATUS_SUCCESS) return std::numeric_limits<float>::infinity();
    constexpr int launches = 10;
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    check(cudaEventRecord(begin, queue.stream), "event");
    for (int i = 0; i < launches; ++i) check(launch(queue, args, by), "cublasLtMatmul");
    check(cudaEventRecord(end, queue.stream), "event");
    check(cudaEventSynchronize(end), "wait for an event");
    float took = 0;
    check(cudaEventElapsedTime(&took, begin, end), "elapsed time");
    check(cudaEventDestroy(begin), "event");
    check(cudaEventDestroy(end), "event");
    return took;
  }
};

const LibraryProduct& product_of(const Queue& queue, const MatmulF16::Args& args) {
  using Key = std::tuple<std::string, std::size_t, std::size_t, std::size_t, bool, bool, bool>;
  static std::map<Key, LibraryProduct> known;
  const Key key{queue.device.key, args.m, args.n, args.k, args.bf16, args.b_transposed, args.f32_out};
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, LibraryProduct(queue, args)).first->second;
}

bool is_empty(const MatmulF16::Args& args) { return args.m == 0 || args.n == 0 || args.k == 0; }

void prepare(const Queue& queue, const MatmulF16::Args& args) {
  if (!is_empty(args)) product_of(queue, args);
}

void multiply(const Queue& queue, const MatmulF16::Args& args) {
  if (is_empty(args)) return clear(queue, args.c);
  const LibraryProduct& product = product_of(queue, args);
  check(product.launch(queue, args, product.algorithm), "cublasLtMatmul");
}
#endif

const Register<MatmulF16> variant{{
    .idea = "cublasLtMatmul by the fastest of the first eight kernels that its heuristics name",
    .needs = {"cublas"},
    .library = true,
#if CROSSWARP_HAS_CUBLAS
    .workspace = workspace,
    .prepare = prepare,
    .missing = why_no_cublaslt,
    .launch = multiply,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
