// parallel_for of one iteration, repeated without fences. Bound by the host, which enqueues.
#include "backends/kokkos/launch_overhead/count_launches.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<LaunchOverhead> variant{{
    .idea = "parallel_for of one iteration, repeated without fences",
    .bound_by = "the slower of host and device",
    .counterparts = {"stream"},
    .gaps = {{GapClass::tuning, "parallel_for does more work on the host for each launch"}},
    .result = ResultIn::host,
    .applies = [](const Point& point) { return point.word("mode") == "stream"; },
    .launch = [](const Queue& queue, const LaunchOverhead::Args& args) { count_launches(queue, args, false); },
}};

}  // namespace
}  // namespace crosswarp::kokkos
