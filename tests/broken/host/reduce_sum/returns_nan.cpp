// Returns NaN, which no comparison with a bound may let pass.
#include <cmath>

#include "backends/host/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) { args.f32().out[0] = std::nanf(""); }

const Register<ReduceSum> variant{{.idea = "broken: returns nan", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
