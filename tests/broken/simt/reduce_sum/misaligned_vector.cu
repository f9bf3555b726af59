// A 16-byte load that begins 4 bytes behind a multiple of 16, which GPUs refuse: must end the program with this line.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void kernel(const float* in, std::size_t n, float* out) {
  float sum = 0;
  std::size_t i = 0;
  for (; i < n && i < 1; ++i) sum += in[i];
  for (; i + 4 <= n; i += 4) {
    const auto* const four = reinterpret_cast<const float4*>(in + i);
    sum += four->x;  // caught here
    sum += four->y + four->z + four->w;
  }
  for (; i < n; ++i) sum += in[i];
  *out = sum;
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  launch(kernel, 1, 1, 0, queue, args.f32().in.data(), args.f32().in.size(), args.f32().out.data());
}

const Register<ReduceSum> variant{
    {.idea = "broken: loads a vector from an address that is not aligned", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
