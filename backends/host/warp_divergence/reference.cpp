// An OpenMP loop around a switch. A core takes one item at a time, so that a path costs a mispredicted jump and nothing
// else. Bound by the latency of the multiply-adds, for any factor.
#include "backends/host/queue.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::host {
namespace {

/// Larger points take seconds per launch.
bool applies(const Point& point) { return point.integer("n") * point.integer("work") <= 1 << 24; }

void run(const Queue&, const WarpDivergence::Args& args) {
  const std::size_t n = args.in.size();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i)
    args.out[i] = divergent::switch_path<4>(static_cast<unsigned>(i % args.factor), args.in[i], args.work);
}

const Register<WarpDivergence> variant{{
    .idea = "an OpenMP loop around a switch",
    .bound_by = "latency of multiply-adds, for any factor",
    .applies = applies,
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::host
