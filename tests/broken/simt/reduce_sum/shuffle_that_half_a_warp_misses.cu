// Half of a warp shuffles, the other half waits at the block's barrier for it: must fail, not hang, and name the line.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void kernel(const float* in, std::size_t n, float* out) {
  float sum = 0;
  for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
  if (threadIdx.x % 2 == 0) sum += shuffle_down(sum, 1);  // caught here
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  launch(kernel, 1, warp_size(), 0, queue, args.f32().in.data(), args.f32().in.size(), args.f32().out.data());
}

const Register<ReduceSum> variant{{.idea = "broken: a shuffle that half a warp misses", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
