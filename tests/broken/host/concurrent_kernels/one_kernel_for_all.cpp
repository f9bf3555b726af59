// Runs the first kernel on every range: work that is not the kernel's own must not pass.
// at: --kernels 3 --items 1003 --work 7
#include "backends/host/queue.hpp"
#include "experiments/concurrent_kernels.hpp"

namespace crosswarp::host {
namespace {

void run(const Queue&, const ConcurrentKernels::Args& args) {
  for (std::size_t i = 0; i < args.in.size(); ++i)
    args.out[i] = ConcurrentKernels::chain(args.in[i], ConcurrentKernels::constant(0), args.work);
}

const Register<ConcurrentKernels> variant{{.idea = "broken: one kernel for all ranges", .launch = run}};

}  // namespace
}  // namespace crosswarp::host
