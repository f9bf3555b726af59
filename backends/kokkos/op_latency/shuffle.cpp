// Exchange between the lanes of a warp by index: Kokkos has reductions, scans and broadcasts over lanes only.
#include "backends/kokkos/queue.hpp"
#include "experiments/op_latency.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<OpLatency> variant{{
    .idea = "one warp, each shuffle waits for the one before",
    .counterparts = {"dependent_chain"},
    .not_expressible =
        "Kokkos has no documented exchange between vector lanes by index, only reduce, scan and broadcast",
    .applies = [](const Point& point) { return OpLatency::op_of(point) == OpLatency::Op::shuffle; },
}};

}  // namespace
}  // namespace crosswarp::kokkos
