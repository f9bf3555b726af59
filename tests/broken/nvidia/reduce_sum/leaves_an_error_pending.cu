// Leaves an error pending, which the next error check finds.
// at: --n 1003 --single
// caught by: timed run
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  add_serially_on(queue, args.f32());
  ignore(cudaSetDevice(-1));  // refused
}

const Register<ReduceSum> variant{{.idea = "broken: leaves an error pending", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
