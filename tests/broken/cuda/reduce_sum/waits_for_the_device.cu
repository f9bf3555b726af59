// Waits for the device without declaring it: must fail when timed behind the gate.
// caught by: timed run
// says: declare .result = ResultIn::host
#include "experiments/reduce_sum.hpp"
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  launch(add_serially, 1, 1, 0, queue, args.f32().in.data(), args.f32().in.size(), args.f32().out.data());
  check(cudaStreamSynchronize(queue.stream), "wait");
}

const Register<ReduceSum> variant{{.idea = "broken: waits for the device", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
