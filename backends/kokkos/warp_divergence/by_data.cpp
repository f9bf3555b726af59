// Branch-free: a range over the items, with the path's coefficients as data. Bound by the multiply-adds, for any
// factor.
#include "backends/kokkos/queue.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::kokkos {
namespace {

/// On a host larger points take seconds per launch.
bool applies(const Point& point) { return is_asynchronous || point.integer("n") * point.integer("work") <= 1 << 24; }

void run(const Queue& queue, const WarpDivergence::Args& args) {
  const auto in = array(args.in);
  const auto out = array(args.out);
  const unsigned factor = args.factor, work = args.work;
  Kokkos::parallel_for(
      range(queue, in.extent(0)), KOKKOS_LAMBDA(std::size_t i) {
        const auto path = static_cast<unsigned>(i % factor);
        const std::uint32_t a = divergent::quadratic(path), c = divergent::constant(path);
        std::uint32_t x = in(i);
        for (unsigned step = 0; step < work; ++step) x = divergent::step(x, a, c);
        out(i) = x;
      });
}

const Register<WarpDivergence> variant{{
    .idea = "branch-free: one code path, its coefficients as data",
    .bound_by = "multiply-adds, for any factor",
    .improves = "vector_lanes",
    .counterparts = {"by_data"},
    .applies = applies,
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
