// What kernels of atomic_contention share: how additions are spread over threads, and counters in either memory.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/atomic_contention.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned most_counters = 1024;

/// Threads of a block: as few as have one addition each, where the blocks are many, as one thread of a block that adds
/// what the block has reduced.
inline unsigned contending_threads(const AtomicContention::Args& args) {
  return static_cast<unsigned>(std::clamp<std::size_t>((args.atomics + args.blocks - 1) / args.blocks, 1, 256));
}

/// Calls `count(to)` on every thread, where `to` are the counters: those in global memory, or the block's own, which
/// are added to them in the end. Every thread must call it.
template <bool in_shared, class T, class Count>
__device__ void count_in(T* counters, unsigned addresses, Count&& count) {
  if constexpr (in_shared) {
    __shared__ T own[most_counters];
    for (unsigned a = threadIdx.x; a < addresses; a += blockDim.x) own[a] = T{0};
    __syncthreads();
    count(own);
    __syncthreads();
    for (unsigned a = threadIdx.x; a < addresses; a += blockDim.x)
      if (own[a] != T{0}) atomicAdd(counters + a, own[a]);
  } else {
    count(counters);
  }
}

/// Calls `run(counters, in_shared)` for the type of the counters, which it has cleared; the second one is a constant.
template <class Run>
void contend(const Queue& queue, const AtomicContention::Args& args, Run&& run) {
  std::visit(
      [&](auto counters) {
        clear(queue, counters);
        if (args.in_shared)
          run(counters, std::true_type());
        else
          run(counters, std::false_type());
      },
      args.counters);
}

}  // namespace
}  // namespace crosswarp::gpu
