// Kokkos has no portable matrix instructions (kokkos#9332).
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f64.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MatmulF64> variant{{
    .idea = "matrix instructions on doubles",
    .counterparts = {"mma_multistage", "adaptive"},
    .not_expressible = "Kokkos has no portable matrix instructions (kokkos#9332)",
}};

}  // namespace
}  // namespace crosswarp::kokkos
