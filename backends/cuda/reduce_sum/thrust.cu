// The library as most programs call it: thrust::reduce, which allocates temporary storage and returns the result to the
// host. Bound by the allocation and the synchronisation for small n.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

#if CROSSWARP_HAS_CUB  // they come together
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_CUB
void sum(const Queue& queue, const ReduceSum::Args& args) {
  const auto& a = args.f32();
  *a.host_out = ::thrust::reduce(::thrust::cuda::par.on(queue.stream), a.in.data(), a.in.data() + a.in.size(), 0.0f);
}
#endif

const Register<ReduceSum> variant{{
    .idea = "thrust::reduce, which allocates and returns to the host",
    .bound_by = "memory bandwidth, or allocation and synchronisation when small",
    .needs = {"cub"},
    .library = true,
    .result = ResultIn::host,
    .applies = ReduceSum::is_f32_sum,
#if CROSSWARP_HAS_CUB
    .launch = sum,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
