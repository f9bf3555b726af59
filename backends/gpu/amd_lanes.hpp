// Warp and memory intrinsics by vendor-neutral names, for AMD's GPUs. Wavefronts have 64 lanes on gfx9, 32 on newer
// ones. HIP takes lane masks from version 7 on; the rules for `lanes` hold without them, too.
//
// Exchanges by a constant pattern are data-parallel primitives (DPP): operands of arithmetic instructions, read from
// other lanes of the same row of 16. HIP's own shuffles are ds_bpermute, which goes through the pipe of LDS.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/half.hpp"
#include "platform/runtime.hpp"

__device__ long long wall_clock64();  // HIP 5 declares it in the device's own compilation only

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Lanes of a warp; a constant expression. Of the device alone: host code, which is compiled once for all
/// architectures, uses `DeviceInfo::warp_size`.
__device__ constexpr unsigned warp_size() {
#if defined(__GFX9__)
  return 64;
#else
  return 32;
#endif
}

using LaneMask = std::uint64_t;

__device__ constexpr LaneMask all_lanes() { return ~LaneMask{0} >> (64 - warp_size()); }

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

/// A value of one or more 32-bit words, which cross-lane instructions move one by one.
template <class T>
concept Words = std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0 && sizeof(T) <= 16;

/// `value` with `move` applied to each of its words.
template <Words T, std::invocable<int> Move>
__device__ T by_words(T value, Move move) {
  int words[sizeof(T) / 4];
  __builtin_memcpy(words, &value, sizeof value);
#pragma unroll
  for (int& word : words) word = move(word);
  __builtin_memcpy(&value, words, sizeof value);
  return value;
}

/// DPP controls of all architectures from gfx9 on (LLVM, "User Guide for AMDGPU Backend" and SIDefines.h), and of
/// gfx9 alone: the broadcasts of a row's last lane to the next row, and of lane 31 to lanes 32 to 63.
enum Dpp : int {
  quad_xor_1 = 0xb1,
  quad_xor_2 = 0x4e,
  quad_xor_3 = 0x1b,
  row_rotate_8 = 0x128,
  row_mirror = 0x140,       ///< Lane l reads lane 15 - l of its row: l XOR 15.
  row_half_mirror = 0x141,  ///< Lane l reads l XOR 7.
  row_broadcast_15 = 0x142,
  row_broadcast_31 = 0x143,
  row_xor = 0x160,  ///< From gfx10 on: plus the bits, 1 to 15.
};

/// The value of the lane that `control` selects; 0 where there is none.
template <int control, Words T>
__device__ T dpp(T value) {
  return by_words(value, [](int word) { return __builtin_amdgcn_mov_dpp(word, control, 0xf, 0xf, true); });
}

#if !defined(__GFX9__)
/// The value of lane (own XOR 16).
template <Words T>
__device__ T shuffle_xor_16(T value) {
  return by_words(value, [](int word) {
    const auto from = static_cast<unsigned>(word);  // lanes 0 to 7, and 8 to 15, of the other row
    return static_cast<int>(__builtin_amdgcn_permlanex16(from, from, 0x76543210, 0xfedcba98, false, false));
  });
}
#endif

/// The value of lane (own XOR bits). By DPP where `bits` is 1 to 4, 7, 8 or 15 and constant; from gfx10 on 16, too,
/// without ds_bpermute.
template <class T>
__device__ T shuffle_xor(T value, unsigned bits, [[maybe_unused]] LaneMask lanes = all_lanes()) {
  if constexpr (Words<T>)
    if (__builtin_constant_p(bits)) switch (bits) {
        case 1:
          return dpp<quad_xor_1>(value);
        case 2:
          return dpp<quad_xor_2>(value);
        case 3:
          return dpp<quad_xor_3>(value);
#if defined(__GFX9__)
        case 4:
          return dpp<row_half_mirror>(dpp<quad_xor_3>(value));
#else
        case 4:
          return dpp<row_xor + 4>(value);
        case 16:
          return shuffle_xor_16(value);
#endif
        case 7:
          return dpp<row_half_mirror>(value);
        case 8:
          return dpp<row_rotate_8>(value);
        case 15:
          return dpp<row_mirror>(value);
        default:
          break;
      }
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

namespace {

/// Reduces `value` over the first `lanes` lanes of the warp, a power of two; valid in lane 0. Every lane must call it.
/// An overload of that in backends/cuda/device/block_reduce.hpp, hence in an anonymous namespace, too; preferred
/// because it is constrained. Its steps are DPP operands of the operation itself, in place of a tree of ds_bpermute.
template <unsigned lanes = warp_size(), class Op, class A>
requires Words<A> __device__ A warp_reduce(A value, Op op) {
  static_assert((lanes & (lanes - 1)) == 0 && lanes <= warp_size());
  if constexpr (lanes >= 2) value = op(value, dpp<quad_xor_1>(value));
  if constexpr (lanes >= 4) value = op(value, dpp<quad_xor_2>(value));
  if constexpr (lanes >= 8) value = op(value, dpp<row_half_mirror>(value));
  if constexpr (lanes >= 16) value = op(value, dpp<row_mirror>(value));
#if defined(__GFX9__)
  // Towards the last lane: rows 1 and 3 take in the row before, then lane 63 takes in lane 31. Other rows end with
  // values that nobody reads.
  if constexpr (lanes >= 32) value = op(value, dpp<row_broadcast_15>(value));
  if constexpr (lanes >= 64) value = op(value, dpp<row_broadcast_31>(value));
  if constexpr (lanes >= 32)
    value = by_words(value, [](int word) { return __builtin_amdgcn_readlane(word, lanes - 1); });
#else
  if constexpr (lanes >= 32) value = op(value, shuffle_xor_16(value));
#endif
  return value;
}

}  // namespace
}  // namespace crosswarp::gpu
