// Multiplication and addition in one instruction. Bound by issue: fused operations and the loop around them.
#include "backends/cuda/peak_compute/chains.hpp"

namespace crosswarp::gpu {
namespace {

void multiply_add(const Queue& queue, const PeakCompute::Args& args) {
  launch_chains<128, 8, 0, float>(queue, args, fused_step<float>(args));
}

const Register<PeakCompute> variant{{
    .idea = "fused multiply-adds, eight chains a thread: bound by issuing them and the loop around them",
    .improves = "accumulators",
    .applies = is_f32,
    .launch = multiply_add,
    .instructions = {{"FFMA", 8}},
}};

}  // namespace
}  // namespace crosswarp::gpu
