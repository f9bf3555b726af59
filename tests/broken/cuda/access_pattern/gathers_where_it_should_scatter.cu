// Applies the order to the loads instead of the stores: wrong, because an order is not its own inverse.
// at: --pattern strided --stride 8 --op scatter --n 1003
#include "backends/gpu/kernel.hpp"
#include "experiments/access_pattern.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

__global__ void gather(AccessOrder order, const float* in, float* out) {
  const std::uint32_t i = blockIdx.x * block + threadIdx.x;
  if (i < order.n) out[i] = in[order(i)];
}

void run(const Queue& queue, const AccessPattern::Args& args) {
  launch(gather, blocks_for(args.order.n, block), block, 0, queue, args.order, args.in.data(), args.out.data());
}

const Register<AccessPattern> variant{{.idea = "broken: gathers where it should scatter", .launch = run}};

}  // namespace
}  // namespace crosswarp::gpu
