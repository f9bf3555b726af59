// Blocks for all multiprocessors, one chain per thread, with separate multiplication and addition. The resident warps
// hide the latency. Bound by instruction issue: two operations and the loop around them.
#include "backends/cuda/peak_compute/chains.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

__global__ void __launch_bounds__(block) multiply_add(const float* starts, float* ends, std::size_t chains,
                                                      unsigned steps, float a, float b, Elapsed* elapsed) {
  const Stopwatch watch;
  float x[1];
  for (std::size_t tile = std::size_t{blockIdx.x} * block; tile < chains; tile += std::size_t{gridDim.x} * block) {
    const std::size_t first = tile + threadIdx.x;
    load_starts<block>(x, starts, first);
    for (unsigned s = 0; s < steps; ++s) x[0] = __fadd_rn(__fmul_rn(x[0], a), b);
    store_ends<block>(x, ends, first, chains);
  }
  store_elapsed(watch.stop(x[0]), elapsed);
}

void run(const Queue& queue, const PeakCompute::Args& args) {
  launch(multiply_add, blocks_for(args.chains, block), block, 0, queue, args.starts_as<float>(), args.ends_as<float>(),
         args.chains, args.steps, static_cast<float>(args.a), static_cast<float>(args.b), args.elapsed.data());
}

const Register<PeakCompute> variant{{
    .idea = "blocks for all multiprocessors, one chain per thread",
    .bound_by = "instruction issue: two operations and the loop",
    .improves = "one_block",
    .applies = is_f32,
    .launch = run,
    .instructions = {{"FMUL", 1}, {"FADD", 1}},
}};

}  // namespace
}  // namespace crosswarp::gpu
