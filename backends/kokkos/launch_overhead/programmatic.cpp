// Programmatic dependent launch: Kokkos has none.
#include "backends/kokkos/queue.hpp"
#include "experiments/launch_overhead.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<LaunchOverhead> variant{{
    .idea = "programmatic dependent launch",
    .counterparts = {"programmatic"},
    .not_expressible = "Kokkos has no programmatic dependent launch",
    .applies = [](const Point& point) { return point.word("mode") == "stream" && LaunchOverhead::can_be_gated(point); },
}};

}  // namespace
}  // namespace crosswarp::kokkos
