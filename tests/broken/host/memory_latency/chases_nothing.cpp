// Loads nothing and reports its first position for every one in the checksum: right if each lap divided the stretch.
// at: --space global --bytes 4096
#include "backends/host/queue.hpp"
#include "experiments/memory_latency.hpp"

namespace crosswarp::host {
namespace {

void chase(const Queue&, const MemoryLatency::Args& args) {
  args.out[0].end = args.first;
  args.out[0].checksum = args.first * (args.steps / MemoryLatency::stretch);
}

const Register<MemoryLatency> variant{{.idea = "broken: chases nothing", .launch = chase}};

}  // namespace
}  // namespace crosswarp::host
