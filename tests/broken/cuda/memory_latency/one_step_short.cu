// Omits the last step: must be wrong, though every other position is right.
// at: --space global --bytes 4096
#include "backends/cuda/memory_latency/chase.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void stop_short(const std::byte* chain, std::uint64_t first, std::uint32_t steps,
                           MemoryLatency::Chased* out) {
  const auto base = reinterpret_cast<std::uint64_t>(chain);
  std::uint64_t at = base + first, sum = 0;
  for (std::uint32_t done = 1; done < steps; ++done) {
    at = *reinterpret_cast<const std::uint64_t*>(at);
    if (done % MemoryLatency::stretch == 0) sum += at - base;
  }
  const std::uint64_t next = *reinterpret_cast<const std::uint64_t*>(at) - base;
  *out = {at - base, sum + next, {0, 0}};
}

void chase(const Queue& queue, const MemoryLatency::Args& args) {
  launch(stop_short, 1, 1, 0, queue, args.chain.data(), args.first, args.steps, args.out.data());
}

const Register<MemoryLatency> variant{{.idea = "broken: one step short", .launch = chase}};

}  // namespace
}  // namespace crosswarp::gpu
