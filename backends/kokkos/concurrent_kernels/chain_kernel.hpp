// One of the kernels as parallel_for over its items. Bound by the latency of dependent operations.
#pragma once

#include "backends/kokkos/queue.hpp"
#include "experiments/concurrent_kernels.hpp"

namespace crosswarp::kokkos {
namespace {

/// Enqueues one of the kernels on `exec`.
inline void launch_kernel(const Exec& exec, const ConcurrentKernels::Args& args, unsigned kernel) {
  const auto in = array(args.in_of(kernel));
  const auto out = array(args.out_of(kernel));
  const std::uint32_t constant = ConcurrentKernels::constant(kernel);
  const unsigned work = args.work;
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, args.items()),
      KOKKOS_LAMBDA(std::size_t i) { out(i) = ConcurrentKernels::chain(in(i), constant, work); });
}

}  // namespace
}  // namespace crosswarp::kokkos
