// One pass by all cores, for where there is no GPU. Bound by memory once the array is larger than the caches.
#include "backends/host/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::host {
namespace {

void launch_sum(const Queue&, const ReduceSum::Args& args) {
  const auto& [in, out, host_out] = args.f32();
  float sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < in.size(); ++i) sum += in[i];
  out[0] = sum;
}

const Register<ReduceSum> variant{{
    .idea = "an OpenMP loop over all cores, as one writes it first: bound by one addition after the other",
    .applies = ReduceSum::is_f32_sum,
    .launch = launch_sum,
}};

}  // namespace
}  // namespace crosswarp::host
