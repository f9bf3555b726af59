// Hardware reciprocal, and pairs of half-precision numbers: Kokkos has neither.
#include "backends/kokkos/queue.hpp"
#include "experiments/peak_compute.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<PeakCompute> variant{{
    .idea = "chains of hardware reciprocals, or of multiply-adds of half-precision pairs",
    .counterparts = {"ptx_chains"},
    .not_expressible = "Kokkos has the language's division, not the hardware's approximation, and no pairs of halves",
    .applies =
        [](const Point& point) {
          const PeakCompute::Type type = PeakCompute::type_of(point);
          return PeakCompute::is_half(type) || type == PeakCompute::Type::special;
        },
}};

}  // namespace
}  // namespace crosswarp::kokkos
