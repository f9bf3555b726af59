// KokkosBlas::gemm belongs to Kokkos Kernels, a library beside Kokkos.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MatmulF32> variant{{
    .idea = "KokkosBlas::gemm: the portable library",
    .counterparts = {"cublas"},
    .not_expressible = "Kokkos has no gemm; the library Kokkos Kernels has (KokkosBlas::gemm)",
    .library = true,
}};

}  // namespace
}  // namespace crosswarp::kokkos
