// Pointer chase in shared memory, by 32-bit offsets that the load instruction adds to its base. Bound by the latency of
// shared memory.
#include "backends/cuda/memory_latency/chase.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void __launch_bounds__(chase_block)
    chase_in_shared(const std::byte* chain, std::size_t bytes, std::size_t stride, std::uint64_t first,
                    std::uint32_t steps, MemoryLatency::Chased* out) {
  auto* const slots = dynamic_shared<std::byte>();
  for (std::size_t at = threadIdx.x * stride; at < bytes; at += chase_block * stride)
    *reinterpret_cast<std::uint32_t*>(slots + at) =
        static_cast<std::uint32_t>(*reinterpret_cast<const std::uint64_t*>(chain + at));
  __syncthreads();
  if (threadIdx.x != 0) return;
  *out = timed_chase(static_cast<std::uint32_t>(first), 0u, steps,
                     [slots](std::uint32_t at) { return *reinterpret_cast<const std::uint32_t*>(slots + at); });
}

void run(const Queue& queue, const MemoryLatency::Args& args) {
  const std::size_t bytes = bytes_of_slots(args);
  launch(chase_in_shared, 1, chase_block, bytes, queue, args.chain.data(), bytes, args.stride, args.first, args.steps,
         args.out.data());
}

const Register<MemoryLatency> variant{{
    .idea = "the chain copied to shared memory, then chased by one thread",
    .bound_by = "latency of shared memory",
    .applies = [](const Point& point) { return is_space(point, "shared"); },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
