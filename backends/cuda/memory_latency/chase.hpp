// Warm-up and timed loop of a pointer chase by one thread. Bound by the latency of its loads.
#pragma once

#include "backends/cuda/device/stopwatch.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/memory_latency.hpp"

namespace crosswarp::gpu {
namespace {

/// Threads of a chase's block: all of them warm up, then one chases.
inline constexpr unsigned chase_block = 512;

/// Times `steps` dependent loads from `at` on: `load` takes an address and returns the next one. `base` is the address
/// of the first slot. Between two loads stands nothing but, once in 64 loads, an addition to the checksum.
template <class Address, class Load>
__device__ MemoryLatency::Chased timed_chase(Address at, Address base, std::uint32_t steps, Load load) {
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

/// Reads one slot every `warm_stride` bytes into the caches, by the whole block. Chains up to 1 MiB three times, since
/// L1 does not always evict the oldest line. The loaded words are even, which the compiler cannot know: it keeps the
/// loads, and nothing is written.
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

/// Bytes of the chain's slots, without the ragged end.
inline std::size_t bytes_of_slots(const MemoryLatency::Args& args) {
  return args.chain.size() / args.stride * args.stride;
}

/// Launches a kernel that chases pointers in global memory.
inline void launch_chase(void (*kernel)(const std::byte* chain, std::size_t bytes, std::size_t warm_stride,
                                        std::uint64_t first, std::uint32_t steps, MemoryLatency::Chased* out),
                         const Queue& queue, const MemoryLatency::Args& args) {
  launch(kernel, 1, chase_block, 0, queue, args.chain.data(), bytes_of_slots(args), args.warm_stride, args.first,
         args.steps, args.out.data());
}

inline bool is_space(const Point& point, std::string_view space) { return point.word("space") == space; }

}  // namespace
}  // namespace crosswarp::gpu
