// Pointer chase in a __constant__ array, by offsets. Bound by the latency of the constant caches: on NVIDIA's GPUs the
// first has 2 KiB; on AMD's the scalar cache takes their role.
#include "backends/cuda/memory_latency/chase.hpp"

namespace crosswarp::gpu {
namespace {

__constant__ std::uint64_t constants[MemoryLatency::most_constant / sizeof(std::uint64_t)];

/// One thread, since a constant load serves one address at a time.
__global__ void chase_in_constants(std::size_t bytes, std::size_t stride, std::uint64_t first, std::uint32_t steps,
                                   MemoryLatency::Chased* out) {
  const auto* const slots = reinterpret_cast<const std::byte*>(constants);
  const auto load = [slots](std::uint32_t at) { return *reinterpret_cast<const std::uint32_t*>(slots + at); };
  std::uint32_t words = 0;
  for (std::size_t at = 0; at < bytes; at += stride) words |= load(static_cast<std::uint32_t>(at));
  if (words % 2 != 0) out->end = words;  // never true, and keeps the loads
  *out = timed_chase(static_cast<std::uint32_t>(first), 0u, steps, load);
}

/// The kernel reads the offsets' lower halves: both vendors' GPUs and the emulation are little-endian.
void run(const Queue& queue, const MemoryLatency::Args& args) {
  const std::size_t bytes = bytes_of_slots(args);
  fill_constant(queue, constants, args.chain.first(bytes));
  launch(chase_in_constants, 1, 1, 0, queue, bytes, args.stride, args.first, args.steps, args.out.data());
}

const Register<MemoryLatency> variant{{
    .idea = "the chain copied to constant memory, then chased by one thread",
    .bound_by = "latency of the constant caches",
    .applies = [](const Point& point) { return is_space(point, "constant"); },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
