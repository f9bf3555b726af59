// A variant whose tunings have a known order: it adds everything up so many times. For `bench tune`.
#include "backends/host/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::host {
namespace {

/// The number of passes is unknown to the compiler, and each pass stores.
void sum(const Queue& queue, const ReduceSum::Args& args) {
  const auto& [in, out, host_out] = args.f32();
  for (int pass = 0; pass < queue.tuning["passes"]; ++pass) {
    float total = 0;
    for (const float element : in) total += element;
    static_cast<volatile float&>(out[0]) = total;
  }
}

Tuning passes(int count) { return {{{"passes", count}}}; }

const Register<ReduceSum> variant{{
    .idea = "several sums for one",
    .tunings = {passes(6), passes(0), passes(12), passes(1), passes(3)},
    .tuned_by_table = true,
    .applies = ReduceSum::is_f32_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::host
