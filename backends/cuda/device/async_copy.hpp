// Copies from global into shared memory that hold no register on their way: cp.async where there is PTX, else a load
// and a store at once.
#pragma once

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// Starts to copy `count` floats, 1 or 4; zeros where not `is_there`, and then `from` is not read. Both addresses are
/// aligned to as much.
template <unsigned count>
__device__ void copy_async(float* to_shared, const float* from, bool is_there) {
  static_assert(count == 1 || count == 4);
#if CROSSWARP_HAS_PTX
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(to_shared));
  const unsigned bytes = is_there ? count * sizeof(float) : 0;  // what lacks is filled with zeros
  if constexpr (count == 4)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
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
