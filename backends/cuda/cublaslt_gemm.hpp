// A matrix product by cuBLASLt at its best: the fastest of the first eight algorithms that its heuristic returns.
#pragma once

#include <algorithm>
#include <array>

#include "backends/cuda/cublas.hpp"
#include "backends/gpu/cached_by_problem.hpp"
#include "backends/gpu/fastest.hpp"

namespace crosswarp::gpu {
namespace {

constexpr std::size_t cublaslt_workspace_bytes = std::size_t{32} << 20;  // the library's advice for Hopper

/// Description, layouts and algorithm of one problem. Row-major C = A·B is column-major Cᵀ = Bᵀ·Aᵀ: the library's first
/// operand is B, its second A. Never destroyed: cached for the program's lifetime.
class LtGemm {
 public:
  /// A row-major matrix without gaps.
  struct Matrix {
    cudaDataType type;
    std::size_t rows, columns;
  };
  struct Pointers {
    const void *a, *b;
    void* c;
  };

  /// B is k x n, or n x k if it is transposed. Sums in float.
  LtGemm(const Matrix& a, const Matrix& b, const Matrix& c, bool b_transposed) {
    check(cublaslt().desc_create(&description_, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    set(CUBLASLT_MATMUL_DESC_TRANSA, b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    a_ = layout(a, "layout of A");
    b_ = layout(b, "layout of B");
    c_ = layout(c, "layout of C");
  }

  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) const {
    check(cublaslt().desc_set(description_, attribute, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
  }

  /// Finds the fastest algorithm, by launches on problems of `E` like `args`. `pointers` turns Args into Pointers.
  /// Throws Error if there is none.
  template <class E, class ToPointers>
  void choose(const Queue& queue, const typename E::Args& args, const ToPointers& pointers) {
    cublasLtMatmulPreference_t preference = nullptr;
    check(cublaslt().preference_create(&preference), "cublasLtMatmulPreferenceCreate");
    check(cublaslt().preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &cublaslt_workspace_bytes,
                                    sizeof cublaslt_workspace_bytes),
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
    const auto end = std::remove_if(found.begin(), found.begin() + count, [&](const auto& candidate) {
      return try_launch(queue, pointers(args), candidate.algo) != CUBLAS_STATUS_SUCCESS;
    });
    if (end == found.begin()) throw Error("cuBLASLt has no kernel for this problem");
    const auto launch_found = [&](const typename E::Args& set, std::size_t i) {
      check(try_launch(queue, pointers(set), found[i].algo), "cublasLtMatmul");
    };
    algorithm_ = found[fastest<E>(queue, args, static_cast<std::size_t>(end - found.begin()), launch_found)].algo;
  }

  void launch(const Queue& queue, const Pointers& matrices) const {
    check(try_launch(queue, matrices, algorithm_), "cublasLtMatmul");
  }

 private:
  static cublasLtMatrixLayout_t layout(const Matrix& matrix, const char* what) {
    cublasLtMatrixLayout_t layout = nullptr;
    check(cublaslt().layout_create(&layout, matrix.type, matrix.columns, matrix.rows,
                                   static_cast<std::int64_t>(matrix.columns)),
          what);
    return layout;
  }

  cublasStatus_t try_launch(const Queue& queue, const Pointers& matrices, const cublasLtMatmulAlgo_t& algorithm) const {
    const float one = 1, zero = 0;
    return cublaslt().matmul(cublaslt_handle(), description_, &one, matrices.b, b_, matrices.a, a_, &zero, matrices.c,
                             c_, matrices.c, c_, &algorithm, queue.workspace.data(), queue.workspace.size(),
                             queue.stream);
  }

  cublasLtMatmulDesc_t description_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace
}  // namespace crosswarp::gpu
