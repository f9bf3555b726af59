// One launch of as many blocks instead of all launches: must be wrong, since it counts as one.
// at: --mode stream --launches 40
#include "backends/cuda/launch_overhead/count_launch.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void count_launch(unsigned i, std::uint64_t* counter) { count(i, counter); }

void run(const Queue& queue, const LaunchOverhead::Args& args) {
  launch(count_launch, args.launches, 1, 0, queue, 0, args.count.data());
}

const Register<LaunchOverhead> variant{{.idea = "broken: one launch for all", .launch = run}};

}  // namespace
}  // namespace crosswarp::gpu
