// The same chase by loads that say that they are of global memory, which a pointer from memory does not: a plain load
// of it is a generic one, that first asks which memory it is of. Bound by the latency of a load.
#include "backends/cuda/memory_latency/chase.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
__global__ void __launch_bounds__(chase_block)
    chase_global(const std::byte* chain, std::size_t bytes, std::size_t warm_stride, std::uint64_t first,
                 std::uint32_t steps, MemoryLatency::Chased* out) {
  chase_pointers(chain, bytes, warm_stride, first, steps, out, [](std::uint64_t at) {
    std::uint64_t next;
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
    return next;
  });
}
#endif

const Register<MemoryLatency> variant{{
    .idea = "loads known to be of global memory, not generic ones: bound by the latency of a load",
    .improves = "chase",
    .needs = {"ptx"},
    .applies = [](const Point& point) { return is_space(point, "global"); },
#if CROSSWARP_HAS_PTX
    .launch = [](const Queue& queue, const MemoryLatency::Args& args) { launch_chase(chase_global, queue, args); },
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
