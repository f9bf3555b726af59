// A range over the items with the path's numbers as data: one piece of code. Bound by the multiply-adds, whatever the
// factor.
#include "backends/kokkos/queue.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::kokkos {
namespace {

/// On a host larger ones take seconds a launch.
bool applies(const Point& point) { return is_asynchronous || point.integer("n") * point.integer("work") <= 1 << 24; }

void walk(const Queue& queue, const WarpDivergence::Args& args) {
  const auto in = array(args.in);
  const auto out = array(args.out);
  const unsigned factor = args.factor, work = args.work;
  Kokkos::parallel_for(
      range(queue, in.extent(0)), KOKKOS_LAMBDA(std::size_t i) {
        const auto path = static_cast<unsigned>(i % factor);
        const std::uint32_t a = divergent::square(path), c = divergent::constant(path);
        std::uint32_t x = in(i);
        for (unsigned step = 0; step < work; ++step) x = divergent::step(x, a, c);
        out(i) = x;
      });
}

const Register<WarpDivergence> variant{{
    .idea = "one piece of code, the path's numbers as data: one pass, whatever the factor",
    .improves = "vector_lanes",
    .applies = applies,
    .launch = walk,
}};

}  // namespace
}  // namespace crosswarp::kokkos
