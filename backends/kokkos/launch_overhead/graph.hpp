// Counting launches as a chain of nodes of a Kokkos graph, recorded once: the graph and the launch of graph and
// graph_gated. Bound by the way from node to node.
#pragma once

#include <map>
#include <utility>

#include "backends/kokkos/graph.hpp"
#include "experiments/launch_overhead.hpp"

namespace crosswarp::kokkos {
namespace {

using Counter = std::uint64_t*;

/// A host runs the nodes by recursion along the chain, which a deep one overflows.
constexpr std::int64_t most_nodes = is_asynchronous ? std::int64_t{1} << 20 : 10'000;

inline bool has_graph(const Point& point) {
  return point.word("mode") == "graph" && point.integer("launches") <= most_nodes;
}

/// In device memory, the address of the counter that the graph's nodes add to, so that one graph serves all counters.
inline std::size_t counter_bytes(const Queue&, const LaunchOverhead::Args&) { return sizeof(Counter); }
inline Counter* counter_of(const Queue& queue) { return reinterpret_cast<Counter*>(queue.workspace.data()); }

/// A launch of the graph.
struct CountOn {
  Counter* counter;
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t) const { ++**counter; }
};

/// A chain of `nodes` launches on the queue's counter. A node's type is erased, so that a loop can add it.
inline Graph record(const Queue& queue, unsigned nodes) {
  return make_graph(queue, [&](const auto& root) {
    Kokkos::Experimental::GraphNodeRef<Exec> last = root;
    for (unsigned i = 0; i < nodes; ++i) last = last.then_parallel_for(node_range(1), CountOn{counter_of(queue)});
  });
}

/// The graph of all launches but the first, recorded at the first call. A workspace belongs to one bound variant, with
/// one stream. Graphs are destroyed before Kokkos ends, since the map is made after it starts.
inline const Graph& recorded(const Queue& queue, unsigned nodes) {
  static std::map<std::pair<const void*, unsigned>, Graph> graphs;
  const std::pair<const void*, unsigned> key{queue.workspace.data(), nodes};
  auto found = graphs.find(key);
  if (found == graphs.end()) found = graphs.emplace(key, record(queue, nodes)).first;
  return found->second;
}

inline void enqueue_graph(const Queue& queue, const LaunchOverhead::Args& args) {
  Counter* const counter = counter_of(queue);
  const Counter count = args.count.data();
  Kokkos::parallel_for(
      range(queue, 1), KOKKOS_LAMBDA(std::size_t) {
        *counter = count;
        *count = 1;
      });
  submit(queue, recorded(queue, args.launches - 1));
}

}  // namespace
}  // namespace crosswarp::kokkos
