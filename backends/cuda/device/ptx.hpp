// Inline PTX: addresses of shared memory, and instructions from sm_90 on. For files that need "ptx".
#pragma once

#include "backends/gpu/kernel.hpp"

#if CROSSWARP_HAS_PTX

/// An assembly statement of sm_90 and later; nothing on older targets.
#if CROSSWARP_TARGET_FROM_SM90
#define CROSSWARP_SM90_ASM(...) asm volatile(__VA_ARGS__)
#else
#define CROSSWARP_SM90_ASM(...)
#endif

namespace crosswarp::gpu {
namespace {

/// The 32-bit address that PTX takes for shared memory.
__device__ inline unsigned shared_address(const void* in_shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(in_shared));
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
