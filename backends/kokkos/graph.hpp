// Graphs of launches across the versions of Kokkos. A node's policy names no instance: it runs on the graph's, and
// Kokkos 5 aborts where it names one.
#pragma once

#include <Kokkos_Graph.hpp>

#include "backends/kokkos/queue.hpp"

namespace crosswarp::kokkos {

using Graph = Kokkos::Experimental::Graph<Exec>;

/// A policy of a node: indices 0 … n-1.
inline auto node_range(std::size_t n) { return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0, n); }

/// A graph on the queue's instance, whose nodes `closure(root)` adds. Ready for submit(). Kokkos 5 takes a device
/// handle in place of an instance; Kokkos 4.5 added instantiate(), which submit() did before.
template <class Closure>
Graph make_graph(const Queue& queue, const Closure& closure) {
#if __has_include(<impl/Kokkos_DeviceHandle.hpp>)
  const auto where = Kokkos::Experimental::get_device_handle(queue.exec);
#else
  const Exec& where = queue.exec;
#endif
  auto graph = Kokkos::Experimental::create_graph(where, closure);
  const auto instantiate = [](auto& g) {
    if constexpr (requires { g.instantiate(); }) g.instantiate();
  };
  instantiate(graph);
  return graph;
}

/// Enqueues a graph of the queue's.
template <class G>
void submit(const Queue& queue, const G& graph) {
  if constexpr (requires { graph.submit(queue.exec); })
    graph.submit(queue.exec);
  else
    graph.submit();  // before Kokkos 4.5: to the instance that it was made on
}

}  // namespace crosswarp::kokkos
