// Bulk asynchronous copies (TMA): Kokkos has none.
#include "backends/kokkos/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<ReduceSum> variant{{
    .idea = "bulk copies (TMA) into a ring of stages",
    .counterparts = {"bulk_copy"},
    .not_expressible = "kernels have no asynchronous copies into scratch memory",
}};

}  // namespace
}  // namespace crosswarp::kokkos
