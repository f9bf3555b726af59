// parallel_for of one iteration and a fence, in turn, by one policy with launch bounds of a warp. Bound by the round
// trip to the device.
#include "backends/kokkos/launch_overhead/count_launches.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<LaunchOverhead> variant{{
    .idea = "one policy for all launches, bounded to a warp, and a fence behind each",
    .bound_by = "round trip to the device",
    .improves = "range_fence",
    .counterparts = {"host_sync"},
    .gaps = {{GapClass::tuning, "parallel_for does more work on the host for each launch"}},
    .result = ResultIn::host,
    .applies = [](const Point& point) { return point.word("mode") == "host_sync"; },
    .launch = [](const Queue& queue, const LaunchOverhead::Args& args) { count_with_one_policy(queue, args, true); },
}};

}  // namespace
}  // namespace crosswarp::kokkos
