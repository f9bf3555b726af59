// Kokkos has no portable matrix instructions (kokkos#9332), nor 8-bit floating-point types.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f8.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MatmulF8> variant{{
    .idea = "matrix instructions on tiles in shared memory",
    .counterparts = {"mma_multistage", "wgmma_tma", "cluster_split_k", "persistent", "pingpong", "adaptive",
                     "autotuned"},
    .gaps = {{GapClass::not_written,
              "the register tile knows neither E5M2 nor scales; with it the gap is that of matrix instructions",
              {},
              [](const Point& point) { return point.word("type") != "e4m3" || point.word("scale") != "none"; }}},
    .not_expressible = "Kokkos has no portable matrix instructions (kokkos#9332), nor 8-bit floating-point types",
}};

}  // namespace
}  // namespace crosswarp::kokkos
