// Omits one of many launches: must be wrong.
// at: --mode host_sync --launches 40
#include "backends/host/queue.hpp"
#include "experiments/launch_overhead.hpp"

namespace crosswarp::host {
namespace {

void count(const Queue&, const LaunchOverhead::Args& args) {
  for (unsigned i = 0; i + 1 < args.launches; ++i) args.count[0] = i == 0 ? 1 : args.count[0] + 1;
}

const Register<LaunchOverhead> variant{{.idea = "broken: skips a launch", .launch = count}};

}  // namespace
}  // namespace crosswarp::host
