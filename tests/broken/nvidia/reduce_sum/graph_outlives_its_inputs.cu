// Captures a graph for each launch of a sample and replays them in that order, even when the inputs have moved.
// caught by: timed run
#include <vector>

#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  struct Captured {
    const float* in;
    cudaGraphExec_t graph;
  };
  static std::vector<Captured> captured;
  static bool complete = false;  // the first input has come back
  static std::size_t next = 0;
  complete = complete || (!captured.empty() && captured.front().in == args.f32().in.data());
  if (!complete) {
    cudaGraph_t graph = nullptr;
    captured.push_back({args.f32().in.data(), nullptr});
    check(cudaStreamBeginCapture(queue.stream, cudaStreamCaptureModeRelaxed), "begin capture");
    add_serially_on(queue, args.f32());
    check(cudaStreamEndCapture(queue.stream, &graph), "end capture");
    check(cudaGraphInstantiateWithFlags(&captured.back().graph, graph, 0), "instantiate graph");
    next = captured.size() - 1;
  }
  check(cudaGraphLaunch(captured[next].graph, queue.stream), "launch graph");
  next = (next + 1) % captured.size();
}

const Register<ReduceSum> variant{{.idea = "broken: replays graphs whose inputs have moved", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
