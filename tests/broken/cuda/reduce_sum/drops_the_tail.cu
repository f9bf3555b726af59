// Adds whole groups of four only: must be wrong at every n that is no multiple of four.
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
  launch(kernel, 1, 1, 0, queue, args.in.data(), args.in.size() / 4 * 4, args.out.data());
}

const Register<ReduceSum> variant{{.idea = "broken: drops the tail", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
