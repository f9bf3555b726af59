// One pass by all cores, each with a vector of accumulators. Bound by memory once the array is larger than the caches.
#include "backends/host/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  const float* const in = args.in.data();
  const std::size_t n = args.in.size();
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < n; ++i) sum += in[i];
  args.out[0] = sum;
}

const Register<ReduceSum> variant{{
    .idea = "an OpenMP loop over all cores, vectorised: bound by memory",
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::host
