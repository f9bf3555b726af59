// Latency of single operations: a portable kernel has no clock to read.
#include "backends/kokkos/queue.hpp"
#include "experiments/op_latency.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<OpLatency> variant{{
    .idea = "one warp, each operation waits for the one before",
    .counterparts = {"dependent_chain", "dependent_ptx"},
    .not_expressible = "Kokkos has no in-kernel clock, and no launch of a single warp",
}};

}  // namespace
}  // namespace crosswarp::kokkos
