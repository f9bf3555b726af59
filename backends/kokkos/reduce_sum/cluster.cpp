// Thread block clusters: Kokkos has none.
#include "backends/kokkos/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<ReduceSum> variant{{
    .idea = "partial sums through the shared memory of a cluster",
    .counterparts = {"cluster"},
    .not_expressible = "teams know no clusters",
}};

}  // namespace
}  // namespace crosswarp::kokkos
