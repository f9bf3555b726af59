// parallel_for of one iteration that counts its launches. Bound by the launch.
#pragma once

#include "backends/kokkos/queue.hpp"
#include "experiments/launch_overhead.hpp"

namespace crosswarp::kokkos {
namespace {

inline void count_launches(const Queue& queue, const LaunchOverhead::Args& args, bool fenced) {
  const auto count = scalar(args.count);
  for (unsigned i = 0; i < args.launches; ++i) {
    Kokkos::parallel_for(
        range(queue, 1), KOKKOS_LAMBDA(std::size_t) { count() = i == 0 ? 1 : count() + 1; });
    if (fenced) queue.exec.fence();
  }
}

/// The same by one policy for all launches, whose bound of a warp's threads spares Kokkos's CUDA backend a search: for
/// each launch anew it computes the occupancy of every block size up to the bound.
inline void count_with_one_policy(const Queue& queue, const LaunchOverhead::Args& args, bool fenced) {
  const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>, Kokkos::LaunchBounds<32, 1>> policy(queue.exec, 0, 1);
  const auto count = scalar(args.count);
  for (unsigned i = 0; i < args.launches; ++i) {
    Kokkos::parallel_for(
        policy, KOKKOS_LAMBDA(std::size_t) { count() = i == 0 ? 1 : count() + 1; });
    if (fenced) queue.exec.fence();
  }
}

}  // namespace
}  // namespace crosswarp::kokkos
