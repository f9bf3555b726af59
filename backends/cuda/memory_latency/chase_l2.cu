// The chase by loads that skip the multiprocessor's own cache. Bound by the latency of L2, however small the chain.
#include "backends/cuda/memory_latency/chase.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void __launch_bounds__(chase_block)
    chase_past_l1(const std::byte* chain, std::size_t bytes, std::size_t warm_stride, std::uint64_t first,
                  std::uint32_t steps, MemoryLatency::Chased* out) {
  chase_pointers(chain, bytes, warm_stride, first, steps, out,
                 [](std::uint64_t at) { return load_coherent(reinterpret_cast<const std::uint64_t*>(at)); });
}

const Register<MemoryLatency> variant{{
    .idea = "loads that skip L1: bound by the latency of L2, even for a chain that L1 would hold",
    .applies = [](const Point& point) { return is_space(point, "past_l1"); },
    .launch = [](const Queue& queue, const MemoryLatency::Args& args) { launch_chase(chase_past_l1, queue, args); },
}};

}  // namespace
}  // namespace crosswarp::gpu
