// The notes' first kernel: one block, one chain a thread, and a factor written as 1.01 instead of 1.01f: each step goes
// to double and back. Bound by these conversions, on one multiprocessor.
#include "backends/cuda/peak_compute/chains.hpp"

namespace crosswarp::gpu {
namespace {

struct ThroughDouble {
  double a, b;
  __device__ float operator()(float x) const { return static_cast<float>(fma(static_cast<double>(x), a, b)); }
};

void multiply_add(const Queue& queue, const PeakCompute::Args& args) {
  launch_chains<256, 1, 0, float>(queue, args, ThroughDouble{args.a, args.b}, 1);
}

const Register<PeakCompute> variant{{
    .idea = "one block, one chain a thread, constants that are double: bound by conversions there and back",
    .applies = is_small_f32,
    .launch = multiply_add,
    .instructions = {{"F2F.F64.F32", 1}, {"DFMA", 1}, {"F2F.F32.F64", 1}},
}};

}  // namespace
}  // namespace crosswarp::gpu
