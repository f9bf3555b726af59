// One block that computes the chains of its first tile only: must be wrong, since every end is looked at.
// at: --type i32 --chains 1003 --steps 50
#include "backends/cuda/peak_compute/chains.hpp"

namespace crosswarp::gpu {
namespace {

void multiply_add(const Queue& queue, const PeakCompute::Args& args) {
  PeakCompute::Args fewer = args;
  fewer.chains = 512;
  launch_chains<128, 4, 0, std::uint32_t>(queue, fewer, fused_step<std::uint32_t>(args), 1);
}

const Register<PeakCompute> variant{{.idea = "broken: the first tile only", .launch = multiply_add}};

}  // namespace
}  // namespace crosswarp::gpu
