// Right, but also writes one element past its output: must end the program with this line.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void kernel(const float* in, std::size_t n, float* out) {
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += in[i];
  for (int i = 0; i <= 1; ++i) out[i] = sum;  // caught here
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  launch(kernel, 1, 1, 0, queue, args.f32().in.data(), args.f32().in.size(), args.f32().out.data());
}

const Register<ReduceSum> variant{{.idea = "broken: writes past a global array", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
