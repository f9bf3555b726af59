// KokkosBlas::gemm is not Kokkos's, but of a library beside it.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MatmulF32> variant{{
    .idea = "KokkosBlas::gemm: a library's product, in portable code",
    .not_expressible =
        "Kokkos has no product of matrices; KokkosBlas::gemm is of Kokkos Kernels, which is not in this build",
    .library = true,
}};

}  // namespace
}  // namespace crosswarp::kokkos
