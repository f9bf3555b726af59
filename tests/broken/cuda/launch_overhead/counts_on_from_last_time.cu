// Does not reset the counter: must be wrong by the earlier launches.
// at: --mode stream --launches 40
#include "backends/cuda/launch_overhead/count_launch.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void count_launch(unsigned i, std::uint64_t* counter) { count(i, counter); }

void run(const Queue& queue, const LaunchOverhead::Args& args) {
  for (unsigned i = 0; i < args.launches; ++i) launch(count_launch, 1, 1, 0, queue, i + 1, args.count.data());
}

const Register<LaunchOverhead> variant{{.idea = "broken: counts on from last time", .launch = run}};

}  // namespace
}  // namespace crosswarp::gpu
