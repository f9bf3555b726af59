// An OpenMP parallel region for each launch: the team is formed, and waited for. Bound by that barrier.
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
      asm volatile("" ::: "memory");  // every region is one
    }
  }
}

const Register<LaunchOverhead> variant{{
    .idea = "an OpenMP parallel region for each launch, which ends when all threads are done: bound by that barrier",
    .applies = [](const Point& point) { return point.word("mode") == "host_sync"; },
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::host
