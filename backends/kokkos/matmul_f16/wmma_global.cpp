// Kokkos has no matrix instructions.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MatmulF16> variant{{
    .idea = "WMMA fragments straight from memory",
    .counterparts = {"wmma_global", "wmma_shared", "mma_multistage"},
    .not_expressible = "Kokkos has no matrix instructions",
}};

}  // namespace
}  // namespace crosswarp::kokkos
