// Captures its first launch into a graph and always replays that, with the arguments of the first launch.
// caught by: timed run
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  static cudaGraphExec_t graph = nullptr;
  if (!graph) {
    cudaGraph_t captured = nullptr;
    check(cudaStreamBeginCapture(queue.stream, cudaStreamCaptureModeRelaxed), "begin capture");
    add_serially_on(queue, args.f32());
    check(cudaStreamEndCapture(queue.stream, &captured), "end capture");
    check(cudaGraphInstantiateWithFlags(&graph, captured, 0), "instantiate graph");
  }
  check(cudaGraphLaunch(graph, queue.stream), "launch graph");
}

const Register<ReduceSum> variant{{.idea = "broken: replays the graph of its first launch", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
