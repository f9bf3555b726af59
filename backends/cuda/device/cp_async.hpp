// Copies from global into shared memory that hold no register on their way: cp.async where there is PTX, else a load
// and a store at once.
#pragma once

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
/// Starts to copy `bytes`, 4 or 16, to a shared address; zeros where not `is_there`, and then `from` is not read. Both
/// addresses are aligned to as much.
template <unsigned bytes>
__device__ void copy_async(unsigned to_shared, const void* from, bool is_there) {
  static_assert(bytes == 4 || bytes == 16);
  const unsigned to_read = is_there ? bytes : 0;  // what lacks is filled with zeros
  if constexpr (bytes == 16)                      // which alone can pass L1 by
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to_shared), "l"(from), "r"(to_read) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to_shared), "l"(from), "r"(to_read) : "memory");
}
#endif

/// The same of `count` floats, 1 or 4, on any GPU.
template <unsigned count>
__device__ void copy_floats_async(float* to_shared, const float* from, bool is_there) {
  static_assert(count == 1 || count == 4);
#if CROSSWARP_HAS_PTX
  copy_async<count * sizeof(float)>(static_cast<unsigned>(__cvta_generic_to_shared(to_shared)), from, is_there);
#else
  if constexpr (count == 4)
    *reinterpret_cast<float4*>(to_shared) = is_there ? *reinterpret_cast<const float4*>(from) : make_float4(0, 0, 0, 0);
  else
    *to_shared = is_there ? *from : 0;
#endif
}

/// Ends a group of copies, which may be empty.
__device__ inline void commit_copies() {
#if CROSSWARP_HAS_PTX
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Until all but the last `pending` groups of the calling thread are there.
template <unsigned pending>
__device__ void wait_for_copy_groups() {
#if CROSSWARP_HAS_PTX
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
#endif
}

}  // namespace
}  // namespace crosswarp::gpu
