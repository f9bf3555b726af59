// parallel_for of one iteration and a fence, in turn. Bound by the round trip to the device.
#include "backends/kokkos/launch_overhead/count_launches.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<LaunchOverhead> variant{{
    .idea = "parallel_for of one iteration and a fence of its execution space, in turn",
    .bound_by = "round trip to the device",
    .counterparts = {"host_sync"},
    .gaps = {{GapClass::tuning, "parallel_for does more work on the host for each launch"}},
    .result = ResultIn::host,
    .applies = [](const Point& point) { return point.word("mode") == "host_sync"; },
    .launch = [](const Queue& queue, const LaunchOverhead::Args& args) { count_launches(queue, args, true); },
}};

}  // namespace
}  // namespace crosswarp::kokkos
