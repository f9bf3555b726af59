// Skips outputs that already hold a number: right where outputs are poisoned, idle elsewhere.
// caught by: timed run
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void add_where_poisoned(const float* in, std::size_t n, float* out) {
  if (!isnan(*out)) return;
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += in[i];
  *out = sum;
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const auto& set = args.f32();
  launch(add_where_poisoned, 1, 1, 0, queue, set.in.data(), set.in.size(), set.out.data());
}

const Register<ReduceSum> variant{{.idea = "broken: skips outputs that hold a number", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
