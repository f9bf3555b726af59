// Distributed shared memory: Kokkos has none, since scratch memory belongs to one team.
#include "backends/kokkos/queue.hpp"
#include "experiments/memory_bandwidth.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MemoryBandwidth> variant{{
    .idea = "loads from the shared memory of another block of the cluster",
    .counterparts = {"read_dsmem"},
    .not_expressible = "scratch memory belongs to one team, and teams know no clusters",
    .applies = [](const Point& point) { return point.word("level") == "dsmem"; },
}};

}  // namespace
}  // namespace crosswarp::kokkos
