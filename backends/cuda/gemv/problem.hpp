// A matrix times a vector (n = 1), or a row vector times a matrix (m = 1), as gemv's kernels see it: the matrix, of
// which no element is used twice, and how wide its elements can be loaded.
#pragma once

#include <cstddef>
#include <type_traits>

#include "backends/cuda/device/with_constant.hpp"
#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace gemv {

/// Neighbouring elements, one load.
template <class T, unsigned width>
struct alignas(sizeof(T) * width) Elements {
  T of[width];
};

/// A row-major matrix without gaps.
template <class T>
struct Matrix {
  const T* data;
  std::size_t rows, columns;
};

/// The type in which elements of type `T` are multiplied and added.
template <class T>
using SumOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// C, a vector of sums.
template <class S>
struct SumOutput {
  S* data;

  __device__ void store_at(std::size_t i, S sum) const { data[i] = sum; }
};

/// Conversion of a load of elements that are of the type of their sums.
struct Identity {
  template <class S, unsigned width>
  __device__ const Elements<S, width>& operator()(const Elements<S, width>& elements) const {
    return elements;
  }
};

/// The same. `Variant`: a type of the variant's namespace, by which its kernels are told from another's.
template <class Variant>
struct IdentityOf : Identity {};

/// The matrix, and whether its rows run along k.
template <class T>
struct Problem {
  Matrix<T> matrix;
  const T* vector;
  bool is_dot;
  unsigned width;  ///< Elements of a load: up to 16 bytes.

  /// B is k x n, or n x k if it is transposed. Requires m = 1 or n = 1.
  Problem(const T* a, const T* b, std::size_t m, std::size_t n, std::size_t k, bool b_transposed)
      : matrix(n == 1         ? Matrix<T>{a, m, k}
               : b_transposed ? Matrix<T>{b, n, k}
                              : Matrix<T>{b, k, n}),
        vector(n == 1 ? b : a),
        is_dot(n == 1 || b_transposed),
        width(16 / sizeof(T)) {
    while (matrix.columns % width != 0) width /= 2;
  }
};

inline bool is_for(std::size_t m, std::size_t n) { return m == 1 || n == 1; }

/// Calls `use` with the elements of a load: `[&]<unsigned width>()`.
template <class T, class Use>
void with_width(const Problem<T>& problem, Use&& use) {
  with_constant<1, 2, 4, 8, 16>(problem.width, [&]<unsigned width>() {
    if constexpr (width * sizeof(T) <= 16) use.template operator()<width>();
  });
}

}  // namespace gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
