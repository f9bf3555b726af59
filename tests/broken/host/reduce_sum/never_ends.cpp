// Never ends: must fail, and the run must go on.
// at: --n 1003 --hang-limit 2
#include "backends/host/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  volatile float* result = args.f32().out.data();
  while (*result != 0.5f) {
  }
}

const Register<ReduceSum> variant{{.idea = "broken: never ends", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
