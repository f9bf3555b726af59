// Kokkos has no portable matrix instructions (kokkos#9332), hence no TF32.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_tf32.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MatmulTf32> variant{{
    .idea = "matrix instructions on tiles in shared memory",
    .counterparts = {"wgmma_tma", "cluster_split_k", "persistent", "pingpong", "adaptive", "autotuned"},
    .not_expressible = "Kokkos has no portable matrix instructions (kokkos#9332)",
}};

}  // namespace
}  // namespace crosswarp::kokkos
