// All launches but the first as one Kokkos graph, recorded beforehand. Bound by the device; with few launches by the
// host's one call.
#include "backends/kokkos/launch_overhead/graph.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<LaunchOverhead> variant{{
    .idea = "Kokkos::Experimental::Graph: a chain of parallel_for nodes, recorded once, submitted as one",
    .bound_by = "the device; with few launches the host's one call",
    .improves = "range",
    .counterparts = {"graph"},
    .gaps = {{GapClass::tuning,
              "the loop over a node's range takes a part of it; of the rest no counter can be read within a graph"}},
    .result = ResultIn::host,
    .applies = has_graph,
    .workspace = counter_bytes,
    .launch = enqueue_graph,
}};

}  // namespace
}  // namespace crosswarp::kokkos
