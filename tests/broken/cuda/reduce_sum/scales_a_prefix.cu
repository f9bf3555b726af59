// Adds the first tenth and multiplies by ten: an estimate, and wrong.
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void add_prefix(const float* in, std::size_t n, float* out) {
  float sum = 0;
  for (std::size_t i = 0; i < n / 10; ++i) sum += in[i];
  *out = 10 * sum;
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  launch(add_prefix, 1, 1, 0, queue, args.f32().in.data(), args.f32().in.size(), args.f32().out.data());
}

const Register<ReduceSum> variant{{.idea = "broken: scales the sum of a prefix", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
