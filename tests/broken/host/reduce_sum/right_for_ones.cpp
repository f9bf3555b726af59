// Returns n: right only for inputs of ones.
#include "backends/host/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) { args.f32().out[0] = static_cast<float>(args.f32().in.size()); }

const Register<ReduceSum> variant{{.idea = "broken: right for ones", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
