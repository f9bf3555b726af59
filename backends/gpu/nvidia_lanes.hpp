// Warp and memory intrinsics by vendor-neutral names, for NVIDIA's GPUs. Warps have 32 lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/gpu/nvidia_features.hpp"
#include "core/half.hpp"
#include "platform/runtime.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Lanes of a warp; a constant expression.
__host__ __device__ constexpr unsigned warp_size() { return 32; }

using LaneMask = std::uint64_t;  // 64 bits: a warp may have 64 lanes

__host__ __device__ constexpr LaneMask all_lanes() { return ~LaneMask{0} >> (64 - warp_size()); }

namespace detail {
__device__ constexpr unsigned narrow(LaneMask lanes) { return static_cast<unsigned>(lanes); }
}  // namespace detail

// Warp-wide functions: exactly the lanes in `lanes` that have not exited must call them.

/// The value of lane `source`, which must be in `lanes`.
template <class T>
__device__ T shuffle(T value, unsigned source, LaneMask lanes = all_lanes()) {
  return __shfl_sync(detail::narrow(lanes), value, static_cast<int>(source));
}

/// The value of lane (own + delta), or the own value past the end of the warp.
template <class T>
__device__ T shuffle_down(T value, unsigned delta, LaneMask lanes = all_lanes()) {
  return __shfl_down_sync(detail::narrow(lanes), value, delta);
}

/// The value of lane (own - delta), or the own value below lane 0.
template <class T>
__device__ T shuffle_up(T value, unsigned delta, LaneMask lanes = all_lanes()) {
  return __shfl_up_sync(detail::narrow(lanes), value, delta);
}

/// The value of lane (own XOR bits).
template <class T>
__device__ T shuffle_xor(T value, unsigned bits, LaneMask lanes = all_lanes()) {
  return __shfl_xor_sync(detail::narrow(lanes), value, static_cast<int>(bits));
}

/// Mask of the lanes where `predicate` holds.
__device__ inline LaneMask ballot(bool predicate, LaneMask lanes = all_lanes()) {
  return __ballot_sync(detail::narrow(lanes), predicate);
}
__device__ inline bool any(bool predicate, LaneMask lanes = all_lanes()) {
  return __any_sync(detail::narrow(lanes), predicate) != 0;
}
__device__ inline bool all(bool predicate, LaneMask lanes = all_lanes()) {
  return __all_sync(detail::narrow(lanes), predicate) != 0;
}

/// Warp barrier; orders memory accesses among the lanes.
__device__ inline void sync_warp(LaneMask lanes = all_lanes()) { __syncwarp(detail::narrow(lanes)); }

/// Load that bypasses L1, for data that other blocks wrote in this launch.
template <class T>
__device__ T load_coherent(const T* from) {
  return __ldcg(from);
}

/// Streaming load and store: the line is evicted first.
__device__ inline float4 load_once(const float4* from) { return __ldcs(from); }
__device__ inline void store_once(float4* to, const float4& value) { __stcs(to, value); }

/// Relaxed atomic 64-bit load and store at device scope; they order no other access.
__device__ inline std::uint64_t load_relaxed(const std::uint64_t* from) {
  std::uint64_t value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}
__device__ inline void store_relaxed(std::uint64_t* to, std::uint64_t value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}

/// Converts in one instruction.
__device__ inline float half_value(Half half) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half.bits));
  return value;
}

/// Dynamic shared memory of the block, aligned to 16 bytes.
template <class T>
__device__ T* dynamic_shared() {
  extern __shared__ uint4 crosswarp_dynamic_shared[];
  return reinterpret_cast<T*>(crosswarp_dynamic_shared);
}

/// For programmatic dependent launch (PDL), called by every thread: lets the next grid start, then waits until the
/// previous one has completed and its writes are visible. A no-op below sm_90 and in launches without PDL.
__device__ inline void grid_dependency_sync() {
#if CROSSWARP_TARGET_FROM_SM90
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// A multiprocessor's tick counter, and its approximate rate.
__device__ inline long long ticks() { return clock64(); }
inline constexpr long long ticks_per_second = 2'000'000'000;

/// The multiprocessor's clock and the device's timer. The compiler moves neither across the other, nor across keep().
__device__ inline std::uint64_t cycles() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}
__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

/// Keeps `value` from being optimized away. T has 4 or 8 bytes.
template <class T>
__device__ void keep(T value) {
  if constexpr (sizeof(T) == 8)
    asm volatile("" ::"l"(__builtin_bit_cast(std::uint64_t, value)) : "memory");
  else
    asm volatile("" ::"r"(__builtin_bit_cast(std::uint32_t, value)) : "memory");
}

/// Hides `value` from the optimizer. T has 4 bytes.
template <class T>
__device__ T opaque(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

/// Suspends the thread for some hundred cycles.
__device__ inline void nap() { __nanosleep(200); }

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
