// The kernels as one launch, a row of the grid each (horizontal fusion). Bound by the latency of one kernel while the
// device has room for all. The yardstick: no stream can overlap more.
#include "backends/gpu/kernel.hpp"
#include "experiments/concurrent_kernels.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 128;

__global__ void __launch_bounds__(block)
    run_all(const std::uint32_t* in, std::uint32_t* out, std::size_t items, unsigned work) {
  const unsigned kernel = blockIdx.y;
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i >= items) return;
  const std::size_t at = kernel * items + i;
  out[at] = ConcurrentKernels::chain(in[at], ConcurrentKernels::constant(kernel), work);
}

void run(const Queue& queue, const ConcurrentKernels::Args& args) {
  launch(run_all, {blocks_for(args.items(), block), args.kernels}, block, 0, queue, args.in.data(), args.out.data(),
         args.items(), args.work);
}

const Register<ConcurrentKernels> variant{{
    .idea = "the kernels fused into one launch, a row of the grid each",
    .bound_by = "the latency of one kernel, while the device has room for all",
    .improves = "streams",
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
