// Counting launches as one CUDA graph, recorded once: the kernels and the launch of graph and graph_gated. Needs
// `graph`.
#pragma once

#include <map>
#include <tuple>

#include "backends/cuda/launch_overhead/count_launch.hpp"

namespace crosswarp::gpu {
namespace {

/// Counter of the graph's launches. A device variable, so that one graph serves all counters.
__device__ std::uint64_t* counter;

/// The first launch, before the graph: sets the counter of the others.
__global__ void count_from_here(std::uint64_t* count) {
  if (blockIdx.x != 0) return;
  counter = count;
  *count = 1;
}

__global__ void count_on() {
  if (blockIdx.x == 0) ++*counter;
}

/// A graph of `launches` launches of count_on(), recorded at the first call; later calls allocate nothing. Never
/// destroyed, since the driver may unload before the program's statics.
inline cudaGraphExec_t recorded(const Queue& queue, unsigned launches, unsigned blocks) {
  static std::map<std::tuple<std::string, unsigned, unsigned>, cudaGraphExec_t> graphs;
  const auto [entry, is_new] = graphs.try_emplace({queue.device.key, launches, blocks}, nullptr);
  if (!is_new) return entry->second;
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(queue.stream, cudaStreamCaptureModeRelaxed), "begin capture");
  for (unsigned i = 0; i < launches; ++i) launch(count_on, blocks, 1, 0, queue);
  check(cudaStreamEndCapture(queue.stream, &graph), "end capture");
  check(cudaGraphInstantiateWithFlags(&entry->second, graph, 0), "graph instantiate");
  check(cudaGraphDestroy(graph), "graph destroy");
  return entry->second;
}

inline void enqueue_graph(const Queue& queue, const LaunchOverhead::Args& args) {
  launch(count_from_here, blocks(queue), 1, 0, queue, args.count.data());
  check(cudaGraphLaunch(recorded(queue, args.launches - 1, blocks(queue)), queue.stream), "graph launch");
}

}  // namespace
}  // namespace crosswarp::gpu
