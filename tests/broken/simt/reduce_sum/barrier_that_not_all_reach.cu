// Half of a block leaves before the barrier: must fail, and name the line.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void kernel(const float* in, std::size_t n, float* out) {
  __shared__ float word;
  if (threadIdx.x >= blockDim.x / 2) return;
  if (threadIdx.x == 0) {
    word = 0;
    for (std::size_t i = 0; i < n; ++i) word += in[i];
  }
  __syncthreads();  // caught here
  if (threadIdx.x == 1) *out = word;
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  launch(kernel, 1, 128, 0, queue, args.f32().in.data(), args.f32().in.size(), args.f32().out.data());
}

const Register<ReduceSum> variant{{.idea = "broken: a barrier that not all threads reach", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
