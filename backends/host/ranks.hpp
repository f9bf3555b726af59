// Ranks as threads: flags in every rank's workspace, and a barrier of ranks that spins.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <span>
#include <thread>

#include "backends/host/queue.hpp"
#include "core/half.hpp"
#include "core/ranks.hpp"

namespace crosswarp::host {

/// A rank's workspace. Words count launches from 1 on; 32 bits wrap.
struct Flags {
  unsigned launches;
  unsigned arrived[2][most_ranks];  // by barrier: the last launch in which a rank came
};

inline Flags& flags(std::span<const std::span<std::byte>> workspaces, std::size_t rank) {
  return *reinterpret_cast<Flags*>(workspaces[rank].data());
}

/// What any rank wrote before, all see behind it. Max one for each `barrier` (0 and 1) in a launch.
inline void sync_ranks(std::span<const std::span<std::byte>> workspaces, int barrier, std::size_t rank,
                       unsigned launch) {
  for (std::size_t peer = 0; peer < workspaces.size(); ++peer)
    std::atomic_ref(flags(workspaces, peer).arrived[barrier][rank]).store(launch, std::memory_order_release);
  for (std::size_t peer = 0; peer < workspaces.size(); ++peer) {
    std::atomic_ref arrived(flags(workspaces, rank).arrived[barrier][peer]);
    while (static_cast<int>(arrived.load(std::memory_order_acquire) - launch) < 0) std::this_thread::yield();
  }
}

/// Enqueues `work` between two barriers of ranks: before it, all inputs are there and all outputs can be written;
/// behind it, all of the rank's output is there and nobody uses its input. Requires Flags as workspace.
template <class Work>
void enqueue_between_barriers(const Queue& queue, std::size_t rank, Work work) {
  enqueue(queue, [rank, work, workspaces = queue.workspaces] {
    unsigned& launches = flags(workspaces, rank).launches;
    const unsigned launch = launches + 1;
    sync_ranks(workspaces, 0, rank, launch);
    work();
    sync_ranks(workspaces, 1, rank, launch);
    launches = launch;
  });
}

inline float widen(float value) { return value; }
inline float widen(Half value) { return to_float(value); }
inline float widen(Bfloat16 value) { return to_float(value); }

template <class T>
T narrow(float value) {
  if constexpr (std::same_as<T, float>)
    return value;
  else if constexpr (std::same_as<T, Half>)
    return to_half(value);
  else
    return to_bfloat16(value);
}

}  // namespace crosswarp::host
