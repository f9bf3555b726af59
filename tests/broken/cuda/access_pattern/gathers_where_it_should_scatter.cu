// Uses the order on the wrong side: must be wrong, since an order is not its own inverse.
// at: --pattern strided --stride 8 --op scatter --n 1003
#include "backends/cuda/access_pattern/access.hpp"

namespace crosswarp::gpu {
namespace {

void run(const Queue& queue, const AccessPattern::Args& args) {
  AccessPattern::Args other = args;
  other.op = AccessOp::gather;
  launch_move<256, 1>(queue, other);
}

const Register<AccessPattern> variant{{.idea = "broken: gathers where it should scatter", .launch = run}};

}  // namespace
}  // namespace crosswarp::gpu
