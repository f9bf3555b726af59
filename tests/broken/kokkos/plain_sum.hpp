// A right sum, for variants that are broken in where and when they take it.
#pragma once

#include "backends/kokkos/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {

/// Enqueues the sum of `in` on `exec`.
inline void add_on(const Exec& exec, const View<const float*>& in, const View<float>& out) {
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, in.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, float& sum) { sum += in(i); }, out);
}

inline void add_on(const Exec& exec, const ReduceSum::Typed<float>& set) {
  add_on(exec, array(set.in), scalar(set.out));
}

}  // namespace crosswarp::kokkos
