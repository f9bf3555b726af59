// parallel_for over a range, one access an iteration, its place by a 32-bit division where there is a stride. Bound by
// the sectors that a warp touches.
#include "backends/kokkos/queue.hpp"
#include "experiments/access_pattern.hpp"

namespace crosswarp::kokkos {
namespace {

void run(const Queue& queue, const AccessPattern::Args& args) {
  const auto in = array(args.in);
  const auto out = array(args.out);
  const auto index = array(args.index);
  const AccessOrder order = args.order;
  const AccessOp op = args.op;
  const bool random = index.extent(0) > 0;
  Kokkos::parallel_for(
      range(queue, out.extent(0)), KOKKOS_LAMBDA(std::size_t k) {
        const auto i = static_cast<std::uint32_t>(k);
        const std::uint32_t place = random ? index(i) : order(i);
        out(op == AccessOp::gather ? i : place) = in(op == AccessOp::scatter ? i : place);
      });
}

const Register<AccessPattern> variant{{
    .idea = "parallel_for over a range, one access an iteration: bound by the sectors that a warp touches",
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
