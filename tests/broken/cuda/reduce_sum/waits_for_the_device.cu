// Waits for the device without declaring it: must fail when timed behind the gate.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void kernel(const float* in, std::size_t n, float* out) {
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += in[i];
  out[0] = sum;
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  launch(kernel, 1, 1, 0, queue, args.in.data(), args.in.size(), args.out.data());
  check(cudaStreamSynchronize(queue.stream), "wait");
}

const Register<ReduceSum> variant{{.idea = "broken: waits for the device", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
