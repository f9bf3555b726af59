// Kokkos has no portable matrix instructions (kokkos#9332), nor 8-bit floating-point types.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f8.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MatmulF8> variant{{
    .idea = "matrix instructions on tiles in shared memory",
    .counterparts = {"mma_multistage", "wgmma_tma", "persistent", "adaptive"},
    .not_expressible = "Kokkos has no portable matrix instructions (kokkos#9332), nor 8-bit floating-point types",
}};

}  // namespace
}  // namespace crosswarp::kokkos
