// One block computes the chains of its first tile only: must be wrong, since every end is checked.
// at: --type i32 --chains 1003 --steps 50
#include "backends/gpu/kernel.hpp"
#include "experiments/peak_compute.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void multiply_add(const std::uint32_t* starts, std::uint32_t* ends, unsigned steps, std::uint32_t a,
                             std::uint32_t b) {
  std::uint32_t x = starts[threadIdx.x % PeakCompute::start_count];
  for (unsigned s = 0; s < steps; ++s) x = x * a + b;
  ends[threadIdx.x] = x;
}

void run(const Queue& queue, const PeakCompute::Args& args) {
  launch(multiply_add, 1, 512, 0, queue, args.starts_as<std::uint32_t>(), args.ends_as<std::uint32_t>(), args.steps,
         static_cast<std::uint32_t>(args.a), static_cast<std::uint32_t>(args.b));
}

const Register<PeakCompute> variant{{.idea = "broken: the first tile only", .launch = run}};

}  // namespace
}  // namespace crosswarp::gpu
