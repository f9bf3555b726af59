// The library-style entry point: dispatches by size. flagged_partials in one launch; for the largest arrays
// scratch_tree, whose teams take turns. Bound by the launch, by latency, by memory bandwidth.
#include <algorithm>

#include "backends/kokkos/reduce_sum/dispatch.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr std::size_t flagged_vectors = std::size_t{1} << 22;    // 64 MiB: clearing the result no longer shows
constexpr std::size_t tree_per_unit = 16, flagged_per_unit = 8;  // teams per multiprocessor

std::size_t units(const Queue& queue) { return static_cast<std::size_t>(std::max(queue.device.compute_units, 1)); }

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
  return reduce_sum_flagged_partials::workspace_bytes(flagged_per_unit * units(queue));
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const std::size_t bytes = std::visit([](const auto& a) { return a.in.size_bytes(); }, args.typed);
  const std::size_t vectors = (bytes + 15) / 16;
  if (vectors < flagged_vectors)
    return reduce_sum_flagged_partials::reduce(queue, args, flagged_per_unit * units(queue));
  reduce_sum_scratch_tree::reduce(queue, args, tree_per_unit * units(queue));
}

const Register<ReduceSum> variant{{
    .idea = "dispatch by size: flagged partials, then a tree in scratch and atomics",
    .bound_by = "the launch, then latency, then memory bandwidth",
    .improves = "flagged_partials",
    .counterparts = {"adaptive"},
    .gaps = {{GapClass::tuning,
              "a launch of parallel_for takes longer on the device",
              {},
              [](const Point& point) { return point.integer("n") <= 1 << 12; }},
             {GapClass::no_api,
              "CUDA's adds partial sums through the shared memory of a cluster, and teams know no clusters",
              {},
              [](const Point& point) { return point.integer("n") <= 1 << 16 || point.integer("n") == 1 << 22; }}},
    .workspace = workspace,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::kokkos
