// CUDA's keywords and types as plain C++, for the emulation.
#pragma once

#include "backends/simt/machine.hpp"

// CROSSWARP_WARP_SIZE is set by the build: one compilation per size.
#if CROSSWARP_WARP_SIZE == 32
#define CROSSWARP_PLATFORM simt32
#define CROSSWARP_PLATFORM_NAME "simt"
#else
#define CROSSWARP_PLATFORM simt64
#define CROSSWARP_PLATFORM_NAME "simt64"
#endif

// For files that time launches.
#define CROSSWARP_EMULATED 1

// Features for `#if`; backends/gpu/features.hpp describes them.
#define CROSSWARP_HAS_PEERS 1

#define __global__
#define __host__
#define __device__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
// One copy serves, since blocks run one after the other. Not thread_local, around which AddressSanitizer has no guards.
#define __shared__ static

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

using simt::blockDim;
using simt::blockIdx;
using simt::gridDim;
using simt::threadIdx;
using dim3 = simt::Extent;

struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
