// Adds whole groups of four only: must be wrong at every n that is no multiple of four.
#include "backends/host/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  float sum = 0;
  for (std::size_t i = 0; i + 4 <= args.f32().in.size(); i += 4)
    sum += args.f32().in[i] + args.f32().in[i + 1] + args.f32().in[i + 2] + args.f32().in[i + 3];
  args.f32().out[0] = sum;
}

const Register<ReduceSum> variant{{.idea = "broken: drops the tail", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
