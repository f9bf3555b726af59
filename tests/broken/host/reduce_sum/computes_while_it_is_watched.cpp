// Computes only while launches are logged, as in verification, and not while timed.
// caught by: timed run
#include "tests/broken/host/serial_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  if (queue.log->on) add_serially_on(args.f32());
}

const Register<ReduceSum> variant{{.idea = "broken: computes while it is watched", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
