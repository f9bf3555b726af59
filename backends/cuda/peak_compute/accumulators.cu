// Several chains a thread, so that a warp alone keeps its units busy; multiplication and addition still apart. Bound by
// issue: half of what fused operations reach.
#include "backends/cuda/peak_compute/chains.hpp"

namespace crosswarp::gpu {
namespace {

void multiply_add(const Queue& queue, const PeakCompute::Args& args) {
  with_constant<4, 8, 12>(queue.tuning["accumulators"], [&]<unsigned count>() {
    launch_chains<128, count, 0, float>(queue, args, separate_step(args));
  });
}

const Register<PeakCompute> variant{{
    .idea = "several chains a thread, multiplication and addition apart: bound by issue, at half the peak",
    .improves = "all_sms",
    .tunings = {{{{"accumulators", 8}}}, {{{"accumulators", 4}}}, {{{"accumulators", 12}}}},
    .applies = is_f32,
    .launch = multiply_add,
    .instructions = {{"FMUL", 12}, {"FADD", 12}},
}};

}  // namespace
}  // namespace crosswarp::gpu
