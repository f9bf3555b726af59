// Programmatic dependent launch: Kokkos has none.
#include "backends/kokkos/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<ReduceSum> variant{{
    .idea = "flagged_partials by programmatic dependent launch",
    .counterparts = {"programmatic_launch"},
    .not_expressible = "Kokkos has no programmatic dependent launch",
}};

}  // namespace
}  // namespace crosswarp::kokkos
