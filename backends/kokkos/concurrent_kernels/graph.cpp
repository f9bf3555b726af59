// The kernels as branches of one Kokkos graph: the device forks and joins, the host waits for nothing. Bound by the
// latency of one kernel while the device has room for all. A host runs the branches one after the other.
#include <map>
#include <tuple>

#include "backends/kokkos/graph.hpp"
#include "experiments/concurrent_kernels.hpp"

namespace crosswarp::kokkos {
namespace {

/// In device memory, the ranges of the launch that the graph's nodes work for, so that one graph serves all sets.
struct Ranges {
  const std::uint32_t* in;
  std::uint32_t* out;
};
std::size_t ranges_bytes(const Queue&, const ConcurrentKernels::Args&) { return sizeof(Ranges); }
Ranges* ranges_of(const Queue& queue) { return reinterpret_cast<Ranges*>(queue.workspace.data()); }

/// A kernel, from item `first` on.
struct RunChains {
  const Ranges* ranges;
  std::size_t first;
  std::uint32_t constant;
  unsigned work;
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const {
    ranges->out[first + i] = ConcurrentKernels::chain(ranges->in[first + i], constant, work);
  }
};

Graph record(const Queue& queue, const ConcurrentKernels::Args& args) {
  return make_graph(queue, [&](const auto& root) {
    for (unsigned kernel = 0; kernel < args.kernels; ++kernel)
      root.then_parallel_for(node_range(args.items()), RunChains{ranges_of(queue), kernel * args.items(),
                                                                 ConcurrentKernels::constant(kernel), args.work});
  });
}

/// The graph of a bound variant, which its workspace, size and work identify. Recorded at the first call. Destroyed
/// before Kokkos ends, since the map is made after it starts.
const Graph& recorded(const Queue& queue, const ConcurrentKernels::Args& args) {
  static std::map<std::tuple<const void*, std::size_t, unsigned, unsigned>, Graph> graphs;
  const std::tuple key(static_cast<const void*>(queue.workspace.data()), args.items(), args.kernels, args.work);
  auto found = graphs.find(key);
  if (found == graphs.end()) found = graphs.emplace(key, record(queue, args)).first;
  return found->second;
}

void run(const Queue& queue, const ConcurrentKernels::Args& args) {
  Ranges* const ranges = ranges_of(queue);
  const Ranges here{args.in.data(), args.out.data()};
  Kokkos::parallel_for(
      range(queue, 1), KOKKOS_LAMBDA(std::size_t) { *ranges = here; });
  submit(queue, recorded(queue, args));
}

const Register<ConcurrentKernels> variant{{
    .idea = "Kokkos::Experimental::Graph: the kernels as its branches, recorded once, behind a launch that names the "
            "ranges",
    .bound_by = "the latency of one kernel, plus a launch",
    .improves = "one_instance",
    .counterparts = {"streams"},
    .workspace = ranges_bytes,
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
