// Reads through a null pointer: must end in a failure that is reported, not in silence.
#include "backends/host/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  const volatile float* nowhere = nullptr;
  args.f32().out[0] = *nowhere;
}

const Register<ReduceSum> variant{{.idea = "broken: faults", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
