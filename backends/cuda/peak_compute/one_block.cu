// One block, one chain a thread, in float; multiplication and addition apart. Bound by the latency of the two, on one
// multiprocessor.
#include "backends/cuda/peak_compute/chains.hpp"

namespace crosswarp::gpu {
namespace {

void multiply_add(const Queue& queue, const PeakCompute::Args& args) {
  launch_chains<256, 1, 0, float>(queue, args, separate_step(args), 1);
}

const Register<PeakCompute> variant{{
    .idea = "the same in float: bound by the latency of a multiplication and an addition, on one multiprocessor",
    .improves = "double_literal",
    .applies = is_small_f32,
    .launch = multiply_add,
    .instructions = {{"FMUL", 1}, {"FADD", 1}},
}};

}  // namespace
}  // namespace crosswarp::gpu
