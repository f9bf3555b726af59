// Does a step less than it is asked to: must be wrong, or less work would look like more speed.
// at: --n 1003 --factor 3 --work 128
#include "backends/host/queue.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::host {
namespace {

void walk(const Queue&, const WarpDivergence::Args& args) {
  for (std::size_t i = 0; i < args.in.size(); ++i)
    args.out[i] = divergent::walk_by_switch<1>(static_cast<unsigned>(i % args.factor), args.in[i], args.work - 1);
}

const Register<WarpDivergence> variant{{.idea = "broken: a step short", .launch = walk}};

}  // namespace
}  // namespace crosswarp::host
