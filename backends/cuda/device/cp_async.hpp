// Copies that take no registers: cp.async from global to shared memory, a load and a store where there is no PTX; and
// prefetches into L2.
#pragma once

#include "backends/cuda/device/ptx.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
/// Starts a copy of `bytes`, 4 or 16, to a shared address; writes zeros and does not read `from` where !is_valid. Both
/// addresses are multiples of `bytes`.
template <unsigned bytes>
__device__ void cp_async(unsigned to_shared, const void* from, bool is_valid) {
  static_assert(bytes == 4 || bytes == 16);
  const unsigned source_bytes = is_valid ? bytes : 0;  // the rest is filled with zeros
  if constexpr (bytes == 16)                           // only 16 bytes can bypass L1
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to_shared), "l"(from), "r"(source_bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to_shared), "l"(from), "r"(source_bytes)
                 : "memory");
}
#endif

/// The same for `count` floats, 1 or 4, on any GPU.
template <unsigned count>
__device__ void cp_async_floats(float* to_shared, const float* from, bool is_valid) {
  static_assert(count == 1 || count == 4);
#if CROSSWARP_HAS_PTX
  cp_async<count * sizeof(float)>(shared_address(to_shared), from, is_valid);
#else
  if constexpr (count == 4)
    *reinterpret_cast<float4*>(to_shared) = is_valid ? *reinterpret_cast<const float4*>(from) : make_float4(0, 0, 0, 0);
  else
    *to_shared = is_valid ? *from : 0;
#endif
}

/// Commits the calling thread's copies as a group, which may be empty.
__device__ inline void cp_async_commit_group() {
#if CROSSWARP_HAS_PTX
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits for all but the last `pending` groups of the calling thread.
template <unsigned pending>
__device__ void cp_async_wait_group() {
#if CROSSWARP_HAS_PTX
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
#endif
}

/// Brings the line of an address into L2; nothing where there is no PTX. Safe before the wait for the grid before, so
/// that a kernel's first loads overlap the launch before: L2 is coherent with what that still writes.
__device__ inline void prefetch_to_l2([[maybe_unused]] const void* from) {
#if CROSSWARP_HAS_PTX
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from) : "memory");
#endif
}

}  // namespace
}  // namespace crosswarp::gpu
