// Also adds the element past the end: must be wrong, since guard bands are poison.
#include "backends/host/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  float sum = 0;
  for (std::size_t i = 0; i <= args.f32().in.size(); ++i) sum += args.f32().in.data()[i];
  args.f32().out[0] = sum;
}

const Register<ReduceSum> variant{{.idea = "broken: off by one", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
