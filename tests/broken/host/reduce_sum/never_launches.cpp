// Refuses to launch: must fail, and not pass by what an earlier variant left.
#include "backends/host/queue.hpp"
#include "core/error.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  (void)args;
  throw Error("the launch was refused");
}

const Register<ReduceSum> variant{{.idea = "broken: never launches", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
