// Skips outputs that already hold a number: right where outputs are poisoned, idle elsewhere.
// caught by: timed run
#include <cmath>

#include "tests/broken/host/serial_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  if (std::isnan(args.f32().out[0])) add_serially_on(args.f32());
}

const Register<ReduceSum> variant{{.idea = "broken: skips outputs that hold a number", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
