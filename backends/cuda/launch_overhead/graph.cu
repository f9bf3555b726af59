// All launches but the first as one CUDA graph, recorded beforehand. Bound by the device; with few launches by the
// host's one call.
#include "backends/cuda/launch_overhead/count_launch.hpp"

#if CROSSWARP_HAS_GRAPH
#include "backends/cuda/launch_overhead/launch_graph.hpp"
#endif

namespace crosswarp::gpu {
namespace {

const Register<LaunchOverhead> variant{{
    .idea = "recorded once, enqueued as one graph",
    .bound_by = "the device; with few launches the host's one call",
    .needs = {"graph"},
    .result = ResultIn::host,
    .tunings = grids(),
    .applies = [](const Point& point) { return is_mode(point, "graph"); },
#if CROSSWARP_HAS_GRAPH
    .launch = enqueue_graph,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
