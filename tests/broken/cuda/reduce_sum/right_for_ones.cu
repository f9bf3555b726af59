// Returns n: right only for inputs of ones.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void kernel(float* out, std::size_t n) { *out = static_cast<float>(n); }

void sum(const Queue& queue, const ReduceSum::Args& args) {
  launch(kernel, 1, 1, 0, queue, args.f32().out.data(), args.f32().in.size());
}

const Register<ReduceSum> variant{{.idea = "broken: right for ones", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
