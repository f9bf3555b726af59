// Kokkos has no matrix instructions.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MatmulF16> variant{{
    .idea = "WMMA fragments straight from memory",
    .not_expressible = "Kokkos has no matrix instructions",
}};

}  // namespace
}  // namespace crosswarp::kokkos
