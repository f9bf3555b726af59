// Also adds the element past the end: must be wrong, since guard bands are poison.
#include "experiments/reduce_sum.hpp"
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  launch(add_serially, 1, 1, 0, queue, args.f32().in.data(), args.f32().in.size() + 1, args.f32().out.data());
}

const Register<ReduceSum> variant{{.idea = "broken: off by one", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
