// Several independent accesses a thread, all loads before any store. Bound by the sectors that a warp touches: latency
// is covered.
#include "backends/cuda/access_pattern/access.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

void run(const Queue& queue, const AccessPattern::Args& args) {
  switch (queue.tuning["each"]) {
    case 2:
      return launch_move<block, 2>(queue, args);
    case 4:
      return launch_move<block, 4>(queue, args);
    default:
      return launch_move<block, 8>(queue, args);
  }
}

const Register<AccessPattern> variant{{
    .idea = "four independent accesses a thread: bound by the sectors that a warp touches",
    .improves = "plain",
    .tunings = {{{{"each", 4}}}, {{{"each", 2}}}, {{{"each", 8}}}},
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
