// Adds halves in an accumulator of 16 bits: every element is there, and the sum is rounded at each.
// at: --n 10007 --type f16
#include "backends/gpu/kernel.hpp"
#include "core/half.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void add_rounding(const Half* in, std::size_t n, float* out) {
  Half sum{0};
  for (std::size_t i = 0; i < n; ++i) sum = to_half(to_float(sum) + to_float(in[i]));
  *out = to_float(sum);
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const auto& set = std::get<ReduceSum::Typed<Half>>(args.typed);
  launch(add_rounding, 1, 1, 0, queue, set.in.data(), set.in.size(), set.out.data());
}

const Register<ReduceSum> variant{{.idea = "broken: sums in 16 bits", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
