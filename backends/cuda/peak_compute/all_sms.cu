// Blocks for all multiprocessors, one chain a thread; multiplication and addition apart. With all warps resident that
// is enough to cover the latency: bound by the instructions of the loop.
#include "backends/cuda/peak_compute/chains.hpp"

namespace crosswarp::gpu {
namespace {

void multiply_add(const Queue& queue, const PeakCompute::Args& args) {
  launch_chains<256, 1, 0, float>(queue, args, separate_step(args));
}

const Register<PeakCompute> variant{{
    .idea = "blocks for all multiprocessors: bound by issuing two operations and the loop around them",
    .improves = "one_block",
    .applies = is_f32,
    .launch = multiply_add,
    .instructions = {{"FMUL", 1}, {"FADD", 1}},
}};

}  // namespace
}  // namespace crosswarp::gpu
