// Kokkos has no portable matrix instructions (kokkos#9332); wmma_scratch takes CUDA's, as an escape hatch.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MatmulF16> variant{{
    .idea = "WMMA fragments straight from memory",
    .counterparts = {"wmma_global", "wmma_shared", "mma_multistage"},
    .not_expressible = "Kokkos has no portable matrix instructions (kokkos#9332)",
}};

}  // namespace
}  // namespace crosswarp::kokkos
