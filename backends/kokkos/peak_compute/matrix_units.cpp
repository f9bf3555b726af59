// Matrix-multiply units (tensor cores): Kokkos has no access to them.
#include "backends/kokkos/queue.hpp"
#include "experiments/peak_compute.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<PeakCompute> variant{{
    .idea = "gemm by the matrix units",
    .counterparts = {"mma_sync_tiles", "wgmma_tiles"},
    .not_expressible = "Kokkos has no matrix fragments: its arithmetic uses the scalar units",
    .applies = [](const Point& point) { return PeakCompute::is_tensor(PeakCompute::type_of(point)); },
}};

}  // namespace
}  // namespace crosswarp::kokkos
