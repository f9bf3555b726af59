// All kernels in one stream, each after the one before. Bound by the sum of their times.
#include "backends/cuda/concurrent_kernels/chain_kernel.hpp"

namespace crosswarp::gpu {
namespace {

void run(const Queue& queue, const ConcurrentKernels::Args& args) {
  for (unsigned kernel = 0; kernel < args.kernels; ++kernel) launch_kernel(queue, args, kernel);
}

const Register<ConcurrentKernels> variant{{
    .idea = "all kernels in one stream",
    .bound_by = "the sum of the kernels' latencies",
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
