// One OpenMP parallel region per launch. Bound by the barrier at its end.
#include "backends/host/queue.hpp"
#include "experiments/launch_overhead.hpp"

namespace crosswarp::host {
namespace {

void count(const Queue&, const LaunchOverhead::Args& args) {
  std::uint64_t& count = args.count[0];
  for (unsigned i = 0; i < args.launches; ++i) {
#pragma omp parallel
    {
#pragma omp master
      count = i == 0 ? 1 : count + 1;
      asm volatile("" ::: "memory");  // keeps regions apart
    }
  }
}

const Register<LaunchOverhead> variant{{
    .idea = "one OpenMP parallel region per launch",
    .bound_by = "the barrier at a region's end",
    .applies = [](const Point& point) { return point.word("mode") == "host_sync"; },
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::host
