// Cycles of single operations. A portable kernel has no clock to read.
#include "backends/kokkos/queue.hpp"
#include "experiments/op_latency.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<OpLatency> variant{{
    .idea = "operations that wait for the one before, one warp",
    .not_expressible = "Kokkos has no clock that a kernel could read, and no warp that is launched alone",
}};

}  // namespace
}  // namespace crosswarp::kokkos
