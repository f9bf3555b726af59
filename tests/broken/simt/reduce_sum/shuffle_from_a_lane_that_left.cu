// The lower half of a warp shuffles values from the upper half, which has exited: must fail, and name the line.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void kernel(const float* in, std::size_t n, float* out) {
  if (threadIdx.x >= warp_size() / 2) return;
  float sum = 0;
  for (std::size_t i = threadIdx.x; i < n; i += warp_size() / 2) sum += in[i];
  for (unsigned delta = warp_size() / 2; delta > 0; delta /= 2) sum += shuffle_down(sum, delta);  // caught here
  if (threadIdx.x == 0) *out = sum;
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  launch(kernel, 1, warp_size(), 0, queue, args.f32().in.data(), args.f32().in.size(), args.f32().out.data());
}

const Register<ReduceSum> variant{{.idea = "broken: a shuffle from a lane that left", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
