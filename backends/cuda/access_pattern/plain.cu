// One access a thread. Bound by the sectors that a warp touches; out of order also by latency, since a thread has but
// one load in flight.
#include "backends/cuda/access_pattern/access.hpp"

namespace crosswarp::gpu {
namespace {

const Register<AccessPattern> variant{{
    .idea = "one access a thread: bound by the sectors that a warp touches, and by latency",
    .launch = launch_move<256, 1>,
}};

}  // namespace
}  // namespace crosswarp::gpu
