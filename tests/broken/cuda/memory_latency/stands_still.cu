// Loads from the same address every time: must be wrong, since its loads are no chain.
// at: --space global --bytes 4096
#include "backends/cuda/memory_latency/chase.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void stand_still(const std::byte* chain, std::uint64_t first, std::uint32_t steps,
                            MemoryLatency::Chased* out) {
  const auto base = reinterpret_cast<std::uint64_t>(chain);
  const auto load = [&](std::uint64_t) { return *reinterpret_cast<const std::uint64_t*>(base + first); };
  *out = timed_chase(base + first, base, steps, load);
}

void chase(const Queue& queue, const MemoryLatency::Args& args) {
  launch(stand_still, 1, 1, 0, queue, args.chain.data(), args.first, args.steps, args.out.data());
}

const Register<MemoryLatency> variant{{.idea = "broken: stands still", .launch = chase}};

}  // namespace
}  // namespace crosswarp::gpu
