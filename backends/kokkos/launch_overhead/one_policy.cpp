// parallel_for of one iteration, repeated without fences, by one policy with launch bounds of a warp. Bound by the
// host, which searches no block size.
#include "backends/kokkos/launch_overhead/count_launches.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<LaunchOverhead> variant{{
    .idea = "parallel_for of one iteration by one policy for all launches, bounded to a warp",
    .bound_by = "the slower of host and device",
    .improves = "range",
    .counterparts = {"stream"},
    .gaps = {{GapClass::tuning, "parallel_for does more work on the host for each launch"}},
    .result = ResultIn::host,
    .applies = [](const Point& point) { return point.word("mode") == "stream"; },
    .launch = [](const Queue& queue, const LaunchOverhead::Args& args) { count_with_one_policy(queue, args, false); },
}};

}  // namespace
}  // namespace crosswarp::kokkos
