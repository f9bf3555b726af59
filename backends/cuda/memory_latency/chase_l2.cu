// Pointer chase by loads that bypass the multiprocessor's own L1. Bound by the latency of L2, however small the chain.
#include "backends/cuda/memory_latency/chase.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void __launch_bounds__(chase_block)
    chase_past_l1(const std::byte* chain, std::size_t bytes, std::size_t warm_stride, std::uint64_t first,
                  std::uint32_t steps, MemoryLatency::Chased* out) {
  const auto base = reinterpret_cast<std::uint64_t>(chain);
  const auto load = [](std::uint64_t at) { return load_coherent(reinterpret_cast<const std::uint64_t*>(at)); };
  warm_up(base, bytes, warm_stride, out, load);
  if (threadIdx.x == 0) *out = timed_chase(base + first, base, steps, load);
}

const Register<MemoryLatency> variant{{
    .idea = "pointer chase by loads that bypass L1",
    .bound_by = "latency of L2",
    .applies = [](const Point& point) { return is_space(point, "past_l1"); },
    .launch = [](const Queue& queue, const MemoryLatency::Args& args) { launch_chase(chase_past_l1, queue, args); },
}};

}  // namespace
}  // namespace crosswarp::gpu
