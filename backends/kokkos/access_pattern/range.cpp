// parallel_for over a range, one access per iteration; strided elements take a 32-bit division. Bound by the sectors
// that a warp touches.
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
        const std::uint32_t p = random ? index(i) : order(i);
        out(op == AccessOp::gather ? i : p) = in(op == AccessOp::scatter ? i : p);
      });
}

const Register<AccessPattern> variant{{
    .idea = "parallel_for over a range, one access per iteration",
    .bound_by = "sectors that a warp touches",
    .counterparts = {"plain"},
    .gaps = {{GapClass::tuning,
              "parallel_for starts a block for every 128 elements",
              {"blocks", "threads_per_block"},
              [](const Point& point) {
                return point.word("pattern") == "coalesced" || point.word("pattern") == "offset";
              }}},
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
