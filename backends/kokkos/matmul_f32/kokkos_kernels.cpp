// KokkosBlas::gemm belongs to Kokkos Kernels, a library beside Kokkos.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MatmulF32> variant{{
    .idea = "KokkosBlas::gemm: the portable library",
    .not_expressible = "Kokkos has no gemm; KokkosBlas::gemm belongs to Kokkos Kernels, which is not in this build",
    .library = true,
}};

}  // namespace
}  // namespace crosswarp::kokkos
