// Returns the result of the launch before: a double buffer that is read one launch too late.
#include <utility>

#include "tests/broken/host/serial_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  static float last = 0;
  args.f32().out[0] = std::exchange(last, add_serially(args.f32().in));
}

const Register<ReduceSum> variant{{.idea = "broken: returns the result of the launch before", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
