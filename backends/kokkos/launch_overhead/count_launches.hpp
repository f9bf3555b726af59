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

}  // namespace
}  // namespace crosswarp::kokkos
