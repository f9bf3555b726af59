// Asks for a block that no device has: must fail, not pass by what an earlier variant left.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void kernel() {}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  (void)args;
  launch(kernel, 1, 4096, 0, queue);
}

const Register<ReduceSum> variant{{.idea = "broken: never launches", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
