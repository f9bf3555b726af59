// One launch of as many blocks in place of all: must be wrong, as it counts for one.
// at: --mode stream --launches 40
#include "backends/cuda/launch_overhead/count_launch.hpp"

namespace crosswarp::gpu {
namespace {

void count(const Queue& queue, const LaunchOverhead::Args& args) {
  launch(count_launch, args.launches, 1, 0, queue, 0, args.count.data());
}

const Register<LaunchOverhead> variant{{.idea = "broken: one launch for all", .launch = count}};

}  // namespace
}  // namespace crosswarp::gpu
