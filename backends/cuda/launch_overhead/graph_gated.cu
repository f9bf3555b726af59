// graph, enqueued before anything starts. Bound by the device: from one node of the graph to the next.
#include "backends/cuda/launch_overhead/count_launch.hpp"

#if CROSSWARP_HAS_GRAPH
#include "backends/cuda/launch_overhead/launch_graph.hpp"
#endif

namespace crosswarp::gpu {
namespace {

const Register<LaunchOverhead> variant{{
    .idea = "one graph, enqueued before anything starts",
    .bound_by = "the device, from node to node",
    .improves = "graph",
    .needs = {"graph"},
    .tunings = grids(),
    .applies = [](const Point& point) { return is_mode(point, "graph") && LaunchOverhead::can_be_gated(point); },
#if CROSSWARP_HAS_GRAPH
    .launch = enqueue_graph,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
