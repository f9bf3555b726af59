// Kokkos has no portable matrix instructions (kokkos#9332), nor asynchronous copies to scratch memory that wgmma lives
// on.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MatmulF16> variant{{
    .idea = "wgmma on tiles in shared memory",
    .counterparts = {"wgmma", "wgmma_tma", "cluster_split_k", "persistent", "pingpong", "adaptive", "autotuned"},
    .gaps = {{GapClass::not_written,
              "split-K and a path for few rows, which Kokkos's matmul_f32 has; the rest are matrix instructions",
              {},
              [](const Point& point) { return point.integer("m") * point.integer("n") <= 512 * 512; }}},
    .not_expressible = "Kokkos has no portable matrix instructions (kokkos#9332)",
}};

}  // namespace
}  // namespace crosswarp::kokkos
