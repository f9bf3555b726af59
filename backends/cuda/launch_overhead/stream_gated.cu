// Launches that all wait in the stream before the first one starts. Bound by the device: the end of one kernel, seen by
// the next.
#include "backends/cuda/launch_overhead/count_launch.hpp"

namespace crosswarp::gpu {
namespace {

const Register<LaunchOverhead> variant{{
    .idea =
        "all enqueued before the first one starts: bound by the device's way from one kernel's end to the next start",
    .tunings = grids(),
    .applies = [](const Point& point) { return is_mode(point, "stream") && LaunchOverhead::can_be_gated(point); },
    .launch = enqueue,
}};

}  // namespace
}  // namespace crosswarp::gpu
