// One block, one chain per thread, and the float bug: a literal 1.01 instead of 1.01f takes each step to double and
// back. Bound by these conversions on one multiprocessor.
#include "backends/cuda/peak_compute/chains.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

/// x ← a·x + b on floats with constants a and b in double.
__global__ void __launch_bounds__(block) multiply_add(const float* starts, float* ends, std::size_t chains,
                                                      unsigned steps, double a, double b, Elapsed* elapsed) {
  const Stopwatch watch;
  float x[1];
  for (std::size_t tile = std::size_t{blockIdx.x} * block; tile < chains; tile += std::size_t{gridDim.x} * block) {
    const std::size_t first = tile + threadIdx.x;
    load_starts<block>(x, starts, first);
    for (unsigned s = 0; s < steps; ++s) x[0] = static_cast<float>(fma(static_cast<double>(x[0]), a, b));
    store_ends<block>(x, ends, first, chains);
  }
  store_elapsed(watch.stop(x[0]), elapsed);
}

void run(const Queue& queue, const PeakCompute::Args& args) {
  launch(multiply_add, 1, block, 0, queue, args.starts_as<float>(), args.ends_as<float>(), args.chains, args.steps,
         args.a, args.b, args.elapsed.data());
}

const Register<PeakCompute> variant{{
    .idea = "one block, one chain per thread, double literals in float arithmetic",
    .bound_by = "conversions to double and back, on one multiprocessor",
    .applies = is_small_f32,
    .launch = run,
    .instructions = {{"F2F.F64.F32", 1}, {"DFMA", 1}, {"F2F.F32.F64", 1}},
}};

}  // namespace
}  // namespace crosswarp::gpu
