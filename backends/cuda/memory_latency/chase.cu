// A chase along pointers in global memory, by plain loads. Bound by the latency of whichever level holds the chain.
#include "backends/cuda/memory_latency/chase.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void __launch_bounds__(chase_block)
    chase_plain(const std::byte* chain, std::size_t bytes, std::size_t warm_stride, std::uint64_t first,
                std::uint32_t steps, MemoryLatency::Chased* out) {
  chase_pointers(chain, bytes, warm_stride, first, steps, out,
                 [](std::uint64_t at) { return *reinterpret_cast<const std::uint64_t*>(at); });
}

const Register<MemoryLatency> variant{{
    .idea = "one thread follows pointers by plain loads, no arithmetic between them: bound by the latency of a load",
    .applies = [](const Point& point) { return is_space(point, "global"); },
    .launch = [](const Queue& queue, const MemoryLatency::Args& args) { launch_chase(chase_plain, queue, args); },
}};

}  // namespace
}  // namespace crosswarp::gpu
