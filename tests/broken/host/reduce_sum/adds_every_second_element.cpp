// Adds every second element, twice: an estimate, and wrong.
#include "tests/broken/host/serial_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  float sum = 0;
  for (std::size_t i = 0; i < args.f32().in.size(); i += 2) sum += args.f32().in[i];
  args.f32().out[0] = 2 * sum;
}

const Register<ReduceSum> variant{{.idea = "broken: adds every second element twice", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
