// Dispatch by element type and operation, and what a reduction needs of each: accumulator, identity, Kokkos's reducer.
#pragma once

#include <limits>
#include <type_traits>

#include "backends/kokkos/half.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

/// The type in which elements of T are reduced.
template <class T>
using Accumulator = ReduceSum::Result<T>;

/// An element as its accumulator.
template <class T>
KOKKOS_INLINE_FUNCTION Accumulator<T> widen(const T& element) {
  if constexpr (std::is_same_v<T, Half>)
    return widened(*reinterpret_cast<const Binary16*>(&element));
  else
    return element;
}

template <class A>
constexpr A largest = std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity()
                                                           : std::numeric_limits<A>::max();
template <class A>
constexpr A smallest = std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                            : std::numeric_limits<A>::lowest();

// Operations: the function, its identity, an atomic update, and the reducer of nested and of whole reductions.

struct Sum {
  template <class A>
  static constexpr A identity = A{0};
  template <class A, class Space = Kokkos::HostSpace>
  using Reducer = Kokkos::Sum<A, Space>;
  template <class A>
  KOKKOS_INLINE_FUNCTION A operator()(A a, A b) const {
    return a + b;
  }
  template <class A>
  KOKKOS_INLINE_FUNCTION void update(A* to, A value) const {
    Kokkos::atomic_add(to, value);
  }
};

struct Min {
  template <class A>
  static constexpr A identity = largest<A>;
  template <class A, class Space = Kokkos::HostSpace>
  using Reducer = Kokkos::Min<A, Space>;
  template <class A>
  KOKKOS_INLINE_FUNCTION A operator()(A a, A b) const {
    return b < a ? b : a;
  }
  template <class A>
  KOKKOS_INLINE_FUNCTION void update(A* to, A value) const {
    Kokkos::atomic_fetch_min(to, value);
  }
};

struct Max {
  template <class A>
  static constexpr A identity = smallest<A>;
  template <class A, class Space = Kokkos::HostSpace>
  using Reducer = Kokkos::Max<A, Space>;
  template <class A>
  KOKKOS_INLINE_FUNCTION A operator()(A a, A b) const {
    return a < b ? b : a;
  }
  template <class A>
  KOKKOS_INLINE_FUNCTION void update(A* to, A value) const {
    Kokkos::atomic_fetch_max(to, value);
  }
};

/// Calls `launch` with the arguments of the element type and with the operation:
/// `[&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op)`.
template <class Launch>
void dispatch(const ReduceSum::Args& args, Launch&& launch) {
  std::visit(
      [&]<class T>(const ReduceSum::Typed<T>& typed) {
        if (args.operation == ReduceSum::Operation::min) return launch(typed, Min());
        if (args.operation == ReduceSum::Operation::max) return launch(typed, Max());
        launch(typed, Sum());
      },
      args.typed);
}

}  // namespace
}  // namespace crosswarp::kokkos
