// Omits two of two hundred steps: must be wrong, although two steps nearly restore each value.
// at: --type f32 --chains 1003 --steps 200
#include <cmath>

#include "backends/gpu/kernel.hpp"
#include "experiments/peak_compute.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void multiply_add(const float* starts, float* ends, std::size_t chains, unsigned steps, float a, float b) {
  const std::size_t chain = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (chain >= chains) return;
  float x = starts[chain % PeakCompute::start_count];
  for (unsigned s = 2; s < steps; ++s) x = fmaf(x, a, b);
  ends[chain] = x;
}

void run(const Queue& queue, const PeakCompute::Args& args) {
  launch(multiply_add, blocks_for(args.chains, 128), 128, 0, queue, args.starts_as<float>(), args.ends_as<float>(),
         args.chains, args.steps, static_cast<float>(args.a), static_cast<float>(args.b));
}

const Register<PeakCompute> variant{{.idea = "broken: two steps short", .launch = run}};

}  // namespace
}  // namespace crosswarp::gpu
