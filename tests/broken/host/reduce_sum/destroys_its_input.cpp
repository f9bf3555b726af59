// Reduces in place: right the first time, of an input that it destroys.
// caught by: timed run
// says: on the same inputs, which a launch must leave as they are
#include "tests/broken/host/serial_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  const std::span in(const_cast<float*>(args.f32().in.data()), args.f32().in.size());
  for (std::size_t i = 1; i < in.size(); ++i) in[i] += in[i - 1];
  args.f32().out[0] = in.empty() ? 0 : in.back();
}

const Register<ReduceSum> variant{{.idea = "broken: destroys its input", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
