// All kernels on one execution space instance, each after the one before. Bound by the sum of their times.
#include "backends/kokkos/concurrent_kernels/chain_kernel.hpp"

namespace crosswarp::kokkos {
namespace {

void run(const Queue& queue, const ConcurrentKernels::Args& args) {
  for (unsigned kernel = 0; kernel < args.kernels; ++kernel) launch_kernel(queue.exec, args, kernel);
}

const Register<ConcurrentKernels> variant{{
    .idea = "parallel_for after parallel_for on one execution space instance",
    .bound_by = "the sum of the kernels' latencies",
    .counterparts = {"one_stream"},
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
