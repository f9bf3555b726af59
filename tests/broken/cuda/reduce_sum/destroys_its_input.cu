// Reduces in place: right the first time, of an input that it destroys.
// caught by: timed run
// says: on the same inputs, which a launch must leave as they are
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void add_in_place(float* in, std::size_t n, float* out) {
  for (std::size_t i = 1; i < n; ++i) in[i] += in[i - 1];
  *out = n ? in[n - 1] : 0;
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  launch(add_in_place, 1, 1, 0, queue, const_cast<float*>(args.f32().in.data()), args.f32().in.size(),
         args.f32().out.data());
}

const Register<ReduceSum> variant{{.idea = "broken: destroys its input", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
