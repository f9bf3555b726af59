// parallel_for of one iteration, all enqueued before the first one starts. Bound by the device: from the end of a
// kernel to the start of the next.
#include "backends/kokkos/launch_overhead/count_launches.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<LaunchOverhead> variant{{
    .idea = "parallel_for of one iteration, all enqueued before the first one starts",
    .bound_by = "the device, from a kernel's end to the next start",
    .counterparts = {"stream_gated"},
    .applies = [](const Point& point) { return point.word("mode") == "stream" && LaunchOverhead::can_be_gated(point); },
    .launch = [](const Queue& queue, const LaunchOverhead::Args& args) { count_launches(queue, args, false); },
}};

}  // namespace
}  // namespace crosswarp::kokkos
