// Never ends: must fail, and the run must go on.
// at: --n 1003 --hang-limit 5
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void kernel(volatile float* result) {
  while (*result != 0.5f) {
  }
}

void sum(const Queue& queue, const ReduceSum::Args& args) { launch(kernel, 1, 1, 0, queue, args.f32().out.data()); }

const Register<ReduceSum> variant{{.idea = "broken: never ends", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
