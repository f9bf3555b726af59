// Atomic additions in global or in shared memory: the counters that kernels add to, and launches by type.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/atomic_contention.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned max_counters = 1024;

/// Counters private to the block, in shared memory, that are added to the global ones at the end; or the global ones.
template <bool in_shared, class T>
class Counters {
 public:
  /// Every thread must call this, as it must call flush().
  __device__ Counters(T* global, unsigned addresses) : global_(global), addresses_(addresses) {
    if constexpr (in_shared) {
      for (unsigned a = threadIdx.x; a < addresses_; a += blockDim.x) shared()[a] = T{0};
      __syncthreads();
    }
  }

  __device__ T* data() const { return in_shared ? shared() : global_; }

  __device__ void flush() const {
    if constexpr (in_shared) {
      __syncthreads();
      for (unsigned a = threadIdx.x; a < addresses_; a += blockDim.x)
        if (shared()[a] != T{0}) atomicAdd(global_ + a, shared()[a]);
    }
  }

 private:
  __device__ static T* shared() {
    __shared__ T counters[max_counters];
    return counters;
  }

  T* global_;
  unsigned addresses_;
};

/// Threads per block: up to 256, as few as have one addition each. With many blocks that is one thread, like the one of
/// a reduction that adds its block's result.
inline unsigned block_size(const AtomicContention::Args& args) {
  return static_cast<unsigned>(std::clamp<std::size_t>((args.atomics + args.blocks - 1) / args.blocks, 1, 256));
}

/// Clears the counters, then calls `launch` with them and with in_shared as a constant:
/// `[&]<class T>(std::span<T> counters, auto in_shared)`.
template <class Launch>
void dispatch(const Queue& queue, const AtomicContention::Args& args, Launch&& launch) {
  std::visit(
      [&](auto counters) {
        clear(queue, counters);
        if (args.in_shared)
          launch(counters, std::true_type());
        else
          launch(counters, std::false_type());
      },
      args.counters);
}

}  // namespace
}  // namespace crosswarp::gpu
