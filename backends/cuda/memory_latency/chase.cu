// Pointer chase in global memory by plain loads. Bound by the latency of the level that holds the chain.
#include "backends/cuda/memory_latency/chase.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void __launch_bounds__(chase_block)
    chase(const std::byte* chain, std::size_t bytes, std::size_t warm_stride, std::uint64_t first, std::uint32_t steps,
          MemoryLatency::Chased* out) {
  const auto base = reinterpret_cast<std::uint64_t>(chain);
  // A slot holds the next slot's address: no arithmetic between two loads.
  const auto load = [](std::uint64_t at) { return *reinterpret_cast<const std::uint64_t*>(at); };
  warm_up(base, bytes, warm_stride, out, load);
  if (threadIdx.x == 0) *out = timed_chase(base + first, base, steps, load);
}

const Register<MemoryLatency> variant{{
    .idea = "one thread follows pointers by plain loads, without arithmetic between them",
    .bound_by = "latency of a load",
    .applies = [](const Point& point) { return is_space(point, "global"); },
    .launch = [](const Queue& queue, const MemoryLatency::Args& args) { launch_chase(chase, queue, args); },
}};

}  // namespace
}  // namespace crosswarp::gpu
