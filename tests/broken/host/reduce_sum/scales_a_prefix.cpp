// Adds the first tenth and multiplies by ten: an estimate, and wrong.
#include "tests/broken/host/serial_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  args.f32().out[0] = 10 * add_serially(args.f32().in.first(args.f32().in.size() / 10));
}

const Register<ReduceSum> variant{{.idea = "broken: scales the sum of a prefix", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
