// Chases only the steps beyond whole laps: ends at the right position. The checksum must catch it.
// at: --space global --bytes 6400
#include "backends/host/queue.hpp"
#include "experiments/memory_latency.hpp"

namespace crosswarp::host {
namespace {

void chase(const Queue&, const MemoryLatency::Args& args) {
  const auto base = reinterpret_cast<std::uint64_t>(args.chain.data());
  const std::uint64_t slots = args.chain.size() / args.stride;
  std::uint64_t at = base + args.first, sum = 0;
  for (std::uint64_t done = 1; done <= args.steps % slots; ++done) {
    at = *reinterpret_cast<const std::uint64_t*>(at);
    if (done % MemoryLatency::stretch == 0) sum += at - base;
  }
  args.out[0].end = at - base;
  args.out[0].checksum = sum;
}

const Register<MemoryLatency> variant{{.idea = "broken: stops laps early", .launch = chase}};

}  // namespace
}  // namespace crosswarp::host
