// Right, but also writes past its output: must be wrong by the guard band.
#include "experiments/reduce_sum.hpp"
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  launch(add_serially, 1, 1, 0, queue, args.f32().in.data(), args.f32().in.size(), args.f32().out.data());
  launch(add_serially, 1, 1, 0, queue, args.f32().in.data(), args.f32().in.size(), args.f32().out.data() + 1);
}

const Register<ReduceSum> variant{{.idea = "broken: writes past the end", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
