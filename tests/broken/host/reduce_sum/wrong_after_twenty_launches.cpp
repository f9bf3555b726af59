// Right twenty times, then wrong: must be caught by the verification after timing.
// caught by: timed run
#include "backends/host/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  static int launches = 0;
  float sum = 0;
  for (const float x : args.f32().in) sum += x;
  args.f32().out[0] = launches++ < 20 ? sum : 0.0f;
}

const Register<ReduceSum> variant{{.idea = "broken: wrong after twenty launches", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
