// An OpenMP loop with a switch in it. A core takes one item at a time, so that paths cost a mispredicted jump each and
// nothing else: bound by the latency of the multiply-adds, whatever the factor.
#include "backends/host/queue.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::host {
namespace {

/// Larger ones take seconds a launch.
bool applies(const Point& point) { return point.integer("n") * point.integer("work") <= 1 << 24; }

void walk(const Queue&, const WarpDivergence::Args& args) {
  const std::size_t n = args.in.size();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i)
    args.out[i] = divergent::walk_by_switch<4>(static_cast<unsigned>(i % args.factor), args.in[i], args.work);
}

const Register<WarpDivergence> variant{{
    .idea = "an OpenMP loop with a switch: bound by the multiply-adds' latency, whatever the factor",
    .applies = applies,
    .launch = walk,
}};

}  // namespace
}  // namespace crosswarp::host
