// Reference results and element-wise comparison: error bounds, and implementations on the host.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/error.hpp"
#include "core/random.hpp"

namespace crosswarp {

/// Exact.
template <class T>
constexpr double to_double(T element) {
  if constexpr (requires { to_float(element); })
    return to_float(element);
  else
    return element;
}

/// Operands of C = scale·A·B: contiguous, row-major, of one type (float, double, Half, Bfloat16, E4m3), or an A of E5m2
/// and a B of E4m3. A is m × k, B is k × n, or n × k if stored transposed.
struct Gemm {
  TypedSpan a, b;
  std::size_t m = 0, n = 0, k = 0;
  bool b_transposed = false;
  double scale = 1;
};

/// Calls `use` with both operands: `[&]<class A, class B>(std::span<A> a, std::span<B> b)`. Throws Error for integers.
template <class Use>
void with_operands(const Gemm& gemm, Use&& use) {
  std::visit(
      [&]<class A>(std::span<A> a) {
        if constexpr (std::same_as<A, std::int32_t>)
          throw Error("products of integers have no reference");
        else
          use(a, std::get<std::span<std::conditional_t<std::same_as<A, E5m2>, E4m3, A>>>(gemm.b));
      },
      gemm.a);
}

/// Bound of each element: |is - should be| ≤ of_sum + of_rounding · |should be|. NaN is beyond any bound.
struct ErrorBound {
  double of_sum = 0;       ///< Absolute error of summation.
  double of_rounding = 0;  ///< Relative error of rounding the result.

  constexpr double at(double should_be) const {
    return of_sum + of_rounding * (should_be < 0 ? -should_be : should_be);
  }
};

/// The worst element: max error relative to its bound, then max error, then min index.
struct WorstElement {
  double share;          ///< Error over bound. Infinite for NaN, and for any error with bound 0.
  double error;          ///< Infinite for NaN.
  std::uint64_t index;   ///< Max integer for no element.
  std::uint64_t beyond;  ///< Number of elements beyond their bounds.

  static constexpr WorstElement of_none() { return {0, 0, std::numeric_limits<std::uint64_t>::max(), 0}; }

  constexpr void add(double is, double should_be, std::uint64_t i, const ErrorBound& bound) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double error_here = is < should_be ? should_be - is : is - should_be, most = bound.at(should_be);
    const bool is_nan = !(error_here == error_here), is_right = error_here <= most;
    add({.share = is_nan            ? infinity
                  : error_here == 0 ? 0
                  : most > 0        ? error_here / most
                                    : infinity,
         .error = is_nan ? infinity : error_here,
         .index = i,
         .beyond = is_right ? 0u : 1u});
  }
  constexpr void add(const WorstElement& other) {
    const std::uint64_t in_all = beyond + other.beyond;
    if (other.share > share ||
        (other.share == share && (other.error > error || (other.error == error && other.index < index))))
      *this = other;
    beyond = in_all;
  }
};

/// Result of a comparison with a reference.
struct Comparison {
  WorstElement worst = WorstElement::of_none();
  double is = 0;  ///< Value of the worst element.
  double should_be = 0;

  /// Adds the comparison of the elements from `first` on.
  constexpr void add(Comparison other, std::uint64_t first) {
    other.worst.index += first;
    worst.add(other.worst);
    if (worst.index == other.worst.index) is = other.is, should_be = other.should_be;
  }
};

/// Rows of a matrix of lattice elements: row r is the elements first + r·row_stride + c·column_stride for c < columns.
struct LatticeRows {
  std::uint64_t first, columns, row_stride, column_stride = 1;

  /// Rows next to each other from `first` on.
  static constexpr LatticeRows contiguous(std::uint64_t first, std::uint64_t columns) {
    return {first, columns, columns};
  }
  constexpr std::uint64_t operator()(std::uint64_t row, std::uint64_t column) const {
    return first + row * row_stride + column * column_stride;
  }
};

// The functions of Device, on the host, on all cores. `to` is of float or double.

/// to = scale·A·B, accumulated in double. Caches recent results: tests repeat them.
void reference_gemm(const Gemm& gemm, const TypedSpan& to);

/// to[r] = the exact sum of row r. Caches recent results.
void reference_row_sums(const Lattice& elements, const LatticeRows& rows, const TypedSpan& to);

/// `reference`: of float or double, with the size of `actual`.
Comparison compare_elements(const TypedSpan& actual, const TypedSpan& reference, const ErrorBound& bound);

/// Elements first … first + count - 1.
TypedSpan part(const TypedSpan& of, std::size_t first, std::size_t count);

std::size_t size(const TypedSpan& of);

}  // namespace crosswarp
