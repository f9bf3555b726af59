// Computes at its first launch only, and always returns that result.
// caught by: timed run
#include <optional>

#include "tests/broken/host/serial_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  static std::optional<float> first;
  if (!first) first = add_serially(args.f32().in);
  args.f32().out[0] = *first;
}

const Register<ReduceSum> variant{{.idea = "broken: keeps its first result", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
