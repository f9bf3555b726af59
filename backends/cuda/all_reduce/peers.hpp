// What the rungs of all_reduce share: peers' arrays by vectors of elements, flags in every rank's workspace, a barrier
// of ranks.
#pragma once

#include <concepts>
#include <type_traits>

#include "backends/gpu/peers.hpp"
#include "experiments/all_reduce.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned max_ranks = most_ranks;
constexpr unsigned max_blocks = 128;
constexpr unsigned max_threads = 512;

/// Ranks' arrays, passed to a kernel by value.
template <class T>
struct Peers {
  T* of[max_ranks];
};

#if CROSSWARP_HAS_PEERS

/// `count` elements of T, one access.
template <class T, unsigned count>
struct alignas(count * sizeof(T)) Pack {
  T of[count];
};

/// 16 bytes, the widest access.
template <class T>
using Widest = Pack<T, 16 / sizeof(T)>;
template <class T>
using Single = Pack<T, 1>;

__device__ inline float widen(float value) { return value; }
__device__ inline float widen(Half value) { return half_value(value); }
__device__ inline float widen(Bfloat16 value) { return to_float(value); }

template <class T>
__device__ T narrow(float value) {
  if constexpr (sizeof(T) == sizeof(float))
    return value;
  else if constexpr (std::same_as<T, Half>)
    return to_half(value);
  else
    return to_bfloat16(value);
}

/// The sum of a pack from each of `ranks`, in float, in the order of ranks: the same bits wherever it is computed.
template <class P, class Load>
__device__ P sum_over_ranks(unsigned ranks, Load load) {
  constexpr unsigned count = sizeof(P{}.of) / sizeof(P{}.of[0]);
  float sum[count] = {};
  for (unsigned r = 0; r < ranks; ++r) {
    const P addend = load(r);
    for (unsigned e = 0; e < count; ++e) sum[e] += widen(addend.of[e]);
  }
  P result;
  for (unsigned e = 0; e < count; ++e) result.of[e] = narrow<std::remove_cvref_t<decltype(result.of[0])>>(sum[e]);
  return result;
}

/// The pack with index `i` of an array that is aligned to one.
template <class P, class T>
__device__ auto& pack(T* array, std::size_t i) {
  if constexpr (std::is_const_v<T>)
    return reinterpret_cast<const P*>(array)[i];
  else
    return reinterpret_cast<P*>(array)[i];
}

/// Index and number of the grid's threads.
__device__ inline std::size_t grid_thread() { return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline std::size_t grid_threads() { return std::size_t{gridDim.x} * blockDim.x; }

/// At the start of each rank's workspace. The same block of every rank talks to each other alone, so that all of a
/// block's words have its index. They count launches from 1 on; 32 bits wrap.
struct Flags {
  unsigned launches[max_blocks];               // of this rank, so far
  unsigned arrived[2][max_blocks][max_ranks];  // by barrier; the last epoch in which a rank came
};

/// The number of this launch, on all ranks. To be called before the first barrier.
__device__ inline unsigned epoch_of(const Flags& own) { return own.launches[blockIdx.x] + 1; }

/// To be called by all threads of a block, behind their last use of the epoch.
__device__ inline void end_epoch(Flags& own, unsigned epoch) {
  __syncthreads();
  if (threadIdx.x == 0) own.launches[blockIdx.x] = epoch;
}

/// Whether a word that counts up has reached `epoch`.
__device__ inline bool has_reached(unsigned word, unsigned epoch) { return static_cast<int>(word - epoch) >= 0; }

/// Barrier of the same block of all ranks: what any of their threads wrote before, all threads see behind it. Max one
/// for each `barrier` (0 and 1) in a launch. Requires `ranks` threads.
__device__ inline void sync_ranks(const Peers<Flags>& flags, unsigned barrier, unsigned rank, unsigned ranks,
                                  unsigned epoch) {
  __syncthreads();
  if (threadIdx.x < ranks) {
    store_release_system(&flags.of[threadIdx.x]->arrived[barrier][blockIdx.x][rank], epoch);
    const unsigned* const own = &flags.of[rank]->arrived[barrier][blockIdx.x][threadIdx.x];
    while (!has_reached(load_acquire_system(own), epoch)) spin();
  }
  __syncthreads();
}

#endif

template <class T>
Peers<const T> inputs(const AllReduce::Typed<T>& a) {
  Peers<const T> peers{};
  for (std::size_t r = 0; r < a.ranks; ++r) peers.of[r] = a.in[r].data();
  return peers;
}

template <class T>
Peers<T> outputs(const AllReduce::Typed<T>& a) {
  Peers<T> peers{};
  for (std::size_t r = 0; r < a.ranks; ++r) peers.of[r] = a.out[r].data();
  return peers;
}

/// Each rank's workspace from byte `first` on. Requires that T fits.
template <class T>
Peers<T> workspaces(const Queue& queue, std::size_t first = 0) {
  Peers<T> peers{};
  for (std::size_t r = 0; r < queue.workspaces.size(); ++r)
    peers.of[r] = reinterpret_cast<T*>(queue.workspaces[r].data() + first);
  return peers;
}

/// Launch of `work` threads or more; a thread for each, up to the grid's and a block's limit. The same on all ranks.
struct Shape {
  unsigned blocks, threads;

  static unsigned warps(const Queue& queue, std::size_t work) {
    return blocks_for(work, static_cast<std::size_t>(queue.device.warp_size));
  }
  Shape(const Queue& queue, std::size_t work)
      : blocks(
            std::min({blocks_for(work, max_threads), max_blocks, static_cast<unsigned>(queue.device.compute_units)})),
        threads(std::min(warps(queue, work) * static_cast<unsigned>(queue.device.warp_size), max_threads)) {}
};

}  // namespace
}  // namespace crosswarp::gpu
