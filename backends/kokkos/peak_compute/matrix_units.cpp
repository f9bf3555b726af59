// Products of matrices by the matrix units, and pairs of half-precision numbers. Kokkos has words for neither.
#include "backends/kokkos/queue.hpp"
#include "experiments/peak_compute.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<PeakCompute> variant{{
    .idea = "products of matrices by the matrix units",
    .not_expressible = "Kokkos has no matrix fragments: its scalars go to the units for scalars",
}};

}  // namespace
}  // namespace crosswarp::kokkos
