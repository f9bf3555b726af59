// Warp and memory intrinsics by vendor-neutral names, for AMD's GPUs. Wavefronts have 64 lanes on gfx9, 32 on newer
// ones. HIP takes lane masks from version 7 on; the rules for `lanes` hold without them, too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/half.hpp"
#include "platform/runtime.hpp"

__device__ long long wall_clock64();  // HIP 5 declares it in the device's own compilation only

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Lanes of a warp; a constant expression in device code. In host code use `DeviceInfo::warp_size`.
__host__ __device__ constexpr unsigned warp_size() {
#if defined(__GFX9__)
  return 64;
#else
  return 32;
#endif
}

using LaneMask = std::uint64_t;

__host__ __device__ constexpr LaneMask all_lanes() { return ~LaneMask{0} >> (64 - warp_size()); }

// Warp-wide functions: exactly the lanes in `lanes` that have not exited must call them.

/// The value of lane `source`, which must be in `lanes`.
template <class T>
__device__ T shuffle(T value, unsigned source, [[maybe_unused]] LaneMask lanes = all_lanes()) {
  return __shfl(value, static_cast<int>(source));
}

/// The value of lane (own + delta), or the own value past the end of the warp.
template <class T>
__device__ T shuffle_down(T value, unsigned delta, [[maybe_unused]] LaneMask lanes = all_lanes()) {
  return __shfl_down(value, delta);
}

/// The value of lane (own - delta), or the own value below lane 0.
template <class T>
__device__ T shuffle_up(T value, unsigned delta, [[maybe_unused]] LaneMask lanes = all_lanes()) {
  return __shfl_up(value, delta);
}

/// The value of lane (own XOR bits).
template <class T>
__device__ T shuffle_xor(T value, unsigned bits, [[maybe_unused]] LaneMask lanes = all_lanes()) {
  return __shfl_xor(value, static_cast<int>(bits));
}

/// Mask of the lanes where `predicate` holds.
__device__ inline LaneMask ballot(bool predicate, LaneMask lanes = all_lanes()) { return __ballot(predicate) & lanes; }
__device__ inline bool any(bool predicate, LaneMask lanes = all_lanes()) { return ballot(predicate, lanes) != 0; }
__device__ inline bool all(bool predicate, LaneMask lanes = all_lanes()) { return ballot(!predicate, lanes) == 0; }

/// Warp barrier; orders memory accesses among the lanes. They run in lockstep, so it only restrains the compiler.
__device__ inline void sync_warp([[maybe_unused]] LaneMask lanes = all_lanes()) {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}

/// Load that bypasses L1, for data that other blocks wrote in this launch.
template <class T>
__device__ T load_coherent(const T* from) {
  return __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Two loads: there is no atomic load of 16 bytes.
__device__ inline uint4 load_coherent(const uint4* from) {
  const auto* const halves = reinterpret_cast<const std::uint64_t*>(from);
  const std::uint64_t low = load_coherent(halves), high = load_coherent(halves + 1);
  return make_uint4(static_cast<unsigned>(low), static_cast<unsigned>(low >> 32), static_cast<unsigned>(high),
                    static_cast<unsigned>(high >> 32));
}

__device__ inline float4 load_coherent(const float4* from) {
  const uint4 bits = load_coherent(reinterpret_cast<const uint4*>(from));
  return make_float4(__uint_as_float(bits.x), __uint_as_float(bits.y), __uint_as_float(bits.z),
                     __uint_as_float(bits.w));
}

/// Streaming load and store: the line is evicted first.
using NativeFloat4 = float __attribute__((ext_vector_type(4)));
__device__ inline float4 load_once(const float4* from) {
  const NativeFloat4 v = __builtin_nontemporal_load(reinterpret_cast<const NativeFloat4*>(from));
  return make_float4(v.x, v.y, v.z, v.w);
}
__device__ inline void store_once(float4* to, const float4& value) {
  const NativeFloat4 v = {value.x, value.y, value.z, value.w};
  __builtin_nontemporal_store(v, reinterpret_cast<NativeFloat4*>(to));
}

/// Relaxed atomic 64-bit load and store at device scope; they order no other access.
__device__ inline std::uint64_t load_relaxed(const std::uint64_t* from) {
  return __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ inline void store_relaxed(std::uint64_t* to, std::uint64_t value) {
  __hip_atomic_store(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Converts in one instruction.
__device__ inline float half_value(Half half) { return static_cast<float>(__builtin_bit_cast(_Float16, half.bits)); }

/// Dynamic shared memory of the block, aligned to 16 bytes.
template <class T>
__device__ T* dynamic_shared() {
  extern __shared__ uint4 crosswarp_dynamic_shared[];
  return reinterpret_cast<T*>(crosswarp_dynamic_shared);
}

__device__ inline void grid_dependency_sync() {}

/// The device's tick counter, and its rate. (clock64() has 20 bits on gfx11.)
__device__ inline long long ticks() { return wall_clock64(); }
inline constexpr long long ticks_per_second = 100'000'000;

/// A cycle counter and the device's timer. The compiler moves neither across the other, nor across keep().
__device__ inline std::uint64_t cycles() {
  asm volatile("" ::: "memory");
  return static_cast<std::uint64_t>(clock64());
}
__device__ inline std::uint64_t nanoseconds() {
  asm volatile("" ::: "memory");
  return static_cast<std::uint64_t>(ticks()) * (1'000'000'000 / ticks_per_second);
}

/// Keeps `value` from being optimized away.
template <class T>
__device__ void keep(T value) {
  asm volatile("" ::"v"(value) : "memory");
}

/// Hides `value` from the optimizer. T has 4 bytes.
template <class T>
__device__ T opaque(T value) {
  asm volatile("" : "+v"(value));
  return value;
}

/// Suspends the wavefront for some hundred cycles.
__device__ inline void nap() {
  __builtin_amdgcn_s_sleep(8);  // times 64 cycles
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
