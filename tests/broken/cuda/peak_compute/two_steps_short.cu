// Leaves out two of two hundred steps: must be wrong, although every value comes back near where it was after two.
// at: --type f32 --chains 1003 --steps 200
#include "backends/cuda/peak_compute/chains.hpp"

namespace crosswarp::gpu {
namespace {

void multiply_add(const Queue& queue, const PeakCompute::Args& args) {
  PeakCompute::Args fewer = args;
  fewer.steps -= 2;
  launch_chains<128, 1, 0, float>(queue, fewer, fused_step<float>(args));
}

const Register<PeakCompute> variant{{.idea = "broken: two steps short", .launch = multiply_add}};

}  // namespace
}  // namespace crosswarp::gpu
