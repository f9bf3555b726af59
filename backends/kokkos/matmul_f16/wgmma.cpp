// Matrix units have no name in Kokkos.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MatmulF16> variant{{
    .idea = "the matrix instructions of four warps on tiles in shared memory",
    .not_expressible = "kernels have no matrix instructions",
}};

}  // namespace
}  // namespace crosswarp::kokkos
