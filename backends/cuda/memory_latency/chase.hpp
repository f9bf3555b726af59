// A chase along a chain of slots by one thread, timed by the device's clocks. Bound by the latency of its loads.
#pragma once

#include "backends/cuda/device/stopwatch.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/memory_latency.hpp"

namespace crosswarp::gpu {
namespace {

/// Threads of a chase's block: all of them warm up, then one goes on alone.
inline constexpr unsigned chase_block = 512;

/// Walks `steps` loads on from `at`: `load` takes a place and returns the next one. Places are addresses, `base` that
/// of the first slot. The sum is taken off the path from load to load, but for one addition in 64 loads.
template <class Place, class Load>
__device__ MemoryLatency::Chased walk(Place at, Place base, std::uint32_t steps, Load load) {
  constexpr std::uint32_t stretch = MemoryLatency::stretch;
  std::uint64_t sum = 0;
  const Stopwatch watch;
#pragma unroll 1
  for (std::uint32_t done = 0; done < steps; done += stretch) {
#pragma unroll
    for (std::uint32_t i = 0; i < stretch; ++i) at = load(at);
    sum += at;
  }
  const Elapsed elapsed = watch.stop(sum);
  return {std::uint64_t{at} - base, sum - std::uint64_t{base} * (steps / stretch), elapsed};
}

/// Brings the slots of `chain` that lie `warm_stride` apart into the caches, read by `load` by the whole block: up to
/// 1 MiB three times, since L1 does not always replace what is oldest. The words' lowest bits are 0, as nobody here
/// knows: so the loads stay, and nothing is written.
template <class Load>
__device__ void warm_up(std::uint64_t chain, std::size_t bytes, std::size_t warm_stride, MemoryLatency::Chased* out,
                        Load load) {
  std::uint64_t words = 0;
  const int passes = bytes <= std::size_t{1} << 20 ? 3 : 1;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 4
    for (std::size_t at = threadIdx.x * warm_stride; at < bytes; at += chase_block * warm_stride)
      words |= load(chain + at);
    __syncthreads();
  }
  if (words % 2 != 0) out->end = words;
}

/// The whole of a chase by pointers in global memory, by one block. `load` takes and returns addresses; `bytes` are
/// those of whole slots.
template <class Load>
__device__ void chase_pointers(const std::byte* chain, std::size_t bytes, std::size_t warm_stride, std::uint64_t first,
                               std::uint32_t steps, MemoryLatency::Chased* out, Load load) {
  const auto base = reinterpret_cast<std::uint64_t>(chain);
  warm_up(base, bytes, warm_stride, out, load);
  if (threadIdx.x == 0) *out = walk(base + first, base, steps, load);
}

/// Bytes of the whole slots of a chain.
inline std::size_t whole_slots(const MemoryLatency::Args& args) {
  return args.chain.size() / args.stride * args.stride;
}

/// Launches a kernel of chase_pointers()'s parameters, less the load.
inline void launch_chase(void (*kernel)(const std::byte*, std::size_t, std::size_t, std::uint64_t, std::uint32_t,
                                        MemoryLatency::Chased*),
                         const Queue& queue, const MemoryLatency::Args& args) {
  launch(kernel, 1, chase_block, 0, queue, args.chain.data(), whole_slots(args), args.warm_stride, args.first,
         args.steps, args.out.data());
}

inline bool is_space(const Point& point, std::string_view space) { return point.word("space") == space; }

}  // namespace
}  // namespace crosswarp::gpu
