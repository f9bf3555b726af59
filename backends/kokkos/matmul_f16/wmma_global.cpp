// Matrix units have no name in Kokkos.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MatmulF16> variant{{
    .idea = "the fragments of a warp's matrix instructions, from global memory",
    .not_expressible = "kernels have no matrix instructions",
}};

}  // namespace
}  // namespace crosswarp::kokkos
