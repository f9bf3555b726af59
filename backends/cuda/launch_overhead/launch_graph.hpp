// Counting launches as one graph, recorded once. Needs `graph`.
#pragma once

#include <map>
#include <tuple>

#include "backends/cuda/launch_overhead/count_launch.hpp"

namespace crosswarp::gpu {
namespace {

/// Where the launches of the graph count. It stands in device memory, so that one graph serves all counters.
__device__ std::uint64_t* counter;

/// The first launch, outside of the graph: tells the others where to count.
__global__ void count_from_here(std::uint64_t* count) {
  if (blockIdx.x != 0) return;
  counter = count;
  *count = 1;
}

__global__ void count_on() {
  if (blockIdx.x == 0) ++*counter;
}

/// A graph of `launches` launches of count_on(), recorded at the first call: nothing is allocated afterwards. It is
/// never destroyed, as the driver may be gone before this program's statics.
inline cudaGraphExec_t recorded(const Queue& queue, unsigned launches, unsigned blocks) {
  static std::map<std::tuple<std::string, unsigned, unsigned>, cudaGraphExec_t> graphs;
  const auto [place, is_new] = graphs.try_emplace({queue.device.key, launches, blocks}, nullptr);
  if (!is_new) return place->second;
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(queue.stream, cudaStreamCaptureModeRelaxed), "begin capture");
  for (unsigned i = 0; i < launches; ++i) launch(count_on, blocks, 1, 0, queue);
  check(cudaStreamEndCapture(queue.stream, &graph), "end capture");
  check(cudaGraphInstantiateWithFlags(&place->second, graph, 0), "graph instantiate");
  check(cudaGraphDestroy(graph), "graph destroy");
  return place->second;
}

inline void enqueue_graph(const Queue& queue, const LaunchOverhead::Args& args) {
  const auto blocks = static_cast<unsigned>(queue.tuning["blocks"]);
  launch(count_from_here, blocks, 1, 0, queue, args.count.data());
  check(cudaGraphLaunch(recorded(queue, args.launches - 1, blocks), queue.stream), "graph launch");
}

}  // namespace
}  // namespace crosswarp::gpu
