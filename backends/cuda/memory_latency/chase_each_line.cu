// Pointer chase with the clock read around each load. Shows modes that a mean hides, such as the nearer and farther
// partition of L2. Bound by the latency of a load; the cost of the clock is subtracted.
#include "backends/cuda/memory_latency/chase.hpp"

namespace crosswarp::gpu {
namespace {

/// Cycles of load(at); at ← its result. The store to shared memory waits for the loaded address, and the second clock
/// read follows the store.
template <class Load>
__device__ std::uint32_t time_load(std::uint64_t& at, volatile std::uint64_t* landed, Load load) {
  const std::uint64_t start = cycles();
  at = load(at);
  *landed = at;
  return static_cast<std::uint32_t>(cycles() - start);
}

__global__ void __launch_bounds__(chase_block)
    time_each(const std::byte* chain, std::size_t bytes, std::size_t warm_stride, std::uint64_t first,
              std::uint32_t steps, MemoryLatency::Chased* out, std::uint32_t* each) {
  constexpr std::uint32_t stretch = MemoryLatency::stretch;
  constexpr int calibrations = 16;
  __shared__ volatile std::uint64_t landed;
  const auto base = reinterpret_cast<std::uint64_t>(chain);
  const auto load = [](std::uint64_t at) { return *reinterpret_cast<const std::uint64_t*>(at); };
  warm_up(base, bytes, warm_stride, out, load);
  if (threadIdx.x != 0) return;
  // Cost of the clock and the store alone. The min, since the first iterations load instructions.
  std::uint32_t empty = ~std::uint32_t{0};
  std::uint64_t at = base + first;
#pragma unroll 1
  for (int i = 0; i < calibrations; ++i)
    empty = std::min(empty, time_load(at, &landed, [](std::uint64_t same) { return same; }));
  std::uint64_t sum = 0, in_loads = 0;
  const Stopwatch watch;
#pragma unroll 1
  for (std::uint32_t step = 1; step <= steps; ++step) {
    const std::uint32_t all = time_load(at, &landed, load), taken = all > empty ? all - empty : 0;
    each[step - 1] = taken;
    in_loads += taken;
    if (step % stretch == 0) sum += at;
  }
  Elapsed elapsed = watch.stop(sum);
  // The loads' share of both clocks.
  elapsed.nanoseconds = static_cast<std::uint64_t>(static_cast<double>(elapsed.nanoseconds) *
                                                   static_cast<double>(in_loads) / static_cast<double>(elapsed.cycles));
  elapsed.cycles = in_loads;
  *out = {at - base, sum - base * (steps / stretch), elapsed};
}

void run(const Queue& queue, const MemoryLatency::Args& args) {
  launch(time_each, 1, chase_block, 0, queue, args.chain.data(), bytes_of_slots(args), args.warm_stride, args.first,
         args.steps, args.out.data(), args.each.data());
}

/// Not the smallest footprints, whose accesses must all hit L1: the stores to `each` count as misses.
bool applies(const Point& point) { return is_space(point, "global") && point.integer("bytes") > 16 << 10; }

const Register<MemoryLatency> variant{{
    .idea = "the clock read around each load, for the distribution of latencies",
    .bound_by = "latency of a load, and the clock",
    .improves = "chase",
    .applies = applies,
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
