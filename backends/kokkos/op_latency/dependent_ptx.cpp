// Hardware approximations of special functions, and pairs of half-precision numbers: Kokkos has neither.
#include "backends/kokkos/queue.hpp"
#include "experiments/op_latency.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<OpLatency> variant{{
    .idea = "one warp, hardware special functions and half-precision pairs, each waiting for the one before",
    .counterparts = {"dependent_ptx"},
    .not_expressible = "Kokkos has the language's functions, not the hardware's approximations, and no pairs of halves",
    .applies =
        [](const Point& point) {
          const OpLatency::Op op = OpLatency::op_of(point);
          return op == OpLatency::Op::fma_f16x2 || op == OpLatency::Op::rcp || op == OpLatency::Op::sqrt ||
                 op == OpLatency::Op::sin;
        },
}};

}  // namespace
}  // namespace crosswarp::kokkos
