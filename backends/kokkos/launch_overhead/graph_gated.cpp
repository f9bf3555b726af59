// graph, enqueued before anything starts. Bound by the device: from one node of the graph to the next.
#include "backends/kokkos/launch_overhead/graph.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<LaunchOverhead> variant{{
    .idea = "one Kokkos graph, enqueued before anything starts",
    .bound_by = "the device, from node to node",
    .improves = "graph",
    .counterparts = {"graph_gated"},
    .gaps = {{GapClass::tuning,
              "the loop over a node's range takes a part of it; of the rest no counter can be read within a graph"}},
    .applies = [](const Point& point) { return has_graph(point) && LaunchOverhead::can_be_gated(point); },
    .workspace = counter_bytes,
    .launch = enqueue_graph,
}};

}  // namespace
}  // namespace crosswarp::kokkos
