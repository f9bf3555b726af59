// Launches enqueued one after the other while the device works on them. Bound by the host, that takes longer to enqueue
// one than the device to run it.
#include "backends/cuda/launch_overhead/count_launch.hpp"

namespace crosswarp::gpu {
namespace {

const Register<LaunchOverhead> variant{{
    .idea = "enqueued one by one while the device runs them: bound by the slower of host and device",
    .result = ResultIn::host,
    .tunings = grids(),
    .applies = [](const Point& point) { return is_mode(point, "stream"); },
    .launch = enqueue,
}};

}  // namespace
}  // namespace crosswarp::gpu
