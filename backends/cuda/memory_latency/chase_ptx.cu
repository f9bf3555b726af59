// Pointer chase by ld.global. A plain load of a loaded pointer is generic: it first determines the memory that the
// address belongs to. Bound by the latency of a load.
#include "backends/cuda/memory_latency/chase.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
__global__ void __launch_bounds__(chase_block)
    chase_global(const std::byte* chain, std::size_t bytes, std::size_t warm_stride, std::uint64_t first,
                 std::uint32_t steps, MemoryLatency::Chased* out) {
  const auto base = reinterpret_cast<std::uint64_t>(chain);
  const auto load = [](std::uint64_t at) {
    std::uint64_t next;
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
    return next;
  };
  warm_up(base, bytes, warm_stride, out, load);
  if (threadIdx.x == 0) *out = timed_chase(base + first, base, steps, load);
}
#endif

const Register<MemoryLatency> variant{{
    .idea = "pointer chase by ld.global instead of generic loads",
    .bound_by = "latency of a load",
    .improves = "chase",
    .needs = {"ptx"},
    .applies = [](const Point& point) { return is_space(point, "global"); },
#if CROSSWARP_HAS_PTX
    .launch = [](const Queue& queue, const MemoryLatency::Args& args) { launch_chase(chase_global, queue, args); },
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
