// mma.sync on doubles (Ampere, Hopper: DMMA), and copies of doubles that feed it. The emulation has them, too: the same
// fragments, by shuffles.
#pragma once

#include <string_view>
#include <vector>

#include "backends/cuda/device/ptx.hpp"

#ifdef CROSSWARP_WARP_SIZE
#define CROSSWARP_IS_EMULATED 1
#else
#define CROSSWARP_IS_EMULATED 0
#endif
#define CROSSWARP_HAS_MMA_F64 (CROSSWARP_HAS_PTX || CROSSWARP_IS_EMULATED)

namespace crosswarp::gpu {
namespace {

/// `needs` of variants that call mma_m16n8k8() and nothing else that a device may lack.
inline const std::vector<std::string_view> needs_of_mma_f64 =
    CROSSWARP_IS_EMULATED ? std::vector<std::string_view>{} : std::vector<std::string_view>{"ptx", "mma_sync"};

/// Lanes that hold an instruction's fragments: a warp, or half a wave of 64.
constexpr unsigned mma_lanes = 32;

/// Two adjacent doubles, one load or store.
struct alignas(16) DoublePair {
  double first, second;
};

#if CROSSWARP_HAS_MMA_F64
/// d += a·b, of 16 x 8 and 8 x 8 elements. Lane l, with g = l / 4 and t = l % 4, holds rows g and g + 8 of A, in
/// columns t, then t + 4; rows t and t + 4 of B in column g; rows g, then g + 8 of D in columns 2t and 2t + 1 ("Matrix
/// Fragments" in the PTX ISA). Before Hopper an instruction has half as many rows and half the depth.
__device__ inline void mma_m16n8k8(double (&d)[4], const double (&a)[4], const double (&b)[2]) {
#if CROSSWARP_IS_EMULATED
  const unsigned lane = threadIdx.x % mma_lanes, first = threadIdx.x % warp_size() - lane, g = lane / 4, t = lane % 4;
  for (unsigned l = 0; l < 8; ++l) {
    // Each lane receives what all may need, in the same order.
    const double of_a[2] = {shuffle(a[l / 4 * 2], first + 4 * g + l % 4),
                            shuffle(a[l / 4 * 2 + 1], first + 4 * g + l % 4)};
    const double of_b[2] = {shuffle(b[l / 4], first + 4 * (2 * t) + l % 4),
                            shuffle(b[l / 4], first + 4 * (2 * t + 1) + l % 4)};
    for (unsigned i = 0; i < 4; ++i) d[i] += of_a[i / 2] * of_b[i % 2];
  }
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
               : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
#pragma unroll
  for (unsigned half = 0; half < 2; ++half)
#pragma unroll
    for (unsigned step = 0; step < 2; ++step)
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                   : "+d"(d[2 * half]), "+d"(d[2 * half + 1])
                   : "d"(a[half + 2 * step]), "d"(b[step]));
#endif
}

/// d += a·b, of 16 x 16 and 16 x 8 elements: lane 4g + t holds rows g and g + 8 of A, in columns t, t + 4, t + 8 and
/// t + 12, and these rows of B in column g; D as mma_m16n8k8().
__device__ inline void mma_m16n8k16(double (&d)[4], const double (&a)[8], const double (&b)[4]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
      "{%12,%13,%14,%15}, {%0,%1,%2,%3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
        "d"(b[2]), "d"(b[3]));
#else
  mma_m16n8k8(d, {a[0], a[1], a[2], a[3]}, {b[0], b[1]});
  mma_m16n8k8(d, {a[4], a[5], a[6], a[7]}, {b[2], b[3]});
#endif
}

/// Starts a copy of one or two doubles to shared memory; writes zeros and does not read `from` where !is_valid. Two
/// need addresses at multiples of 16 bytes, and pass L1 by. The emulation copies at once.
template <unsigned doubles>
__device__ void cp_async_doubles(double* to_shared, const double* from, bool is_valid) {
#if CROSSWARP_IS_EMULATED
  for (unsigned i = 0; i < doubles; ++i) to_shared[i] = is_valid ? from[i] : 0;
#else
  if constexpr (doubles == 2)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to_shared)), "l"(from),
                 "r"(is_valid ? 16 : 0)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared_address(to_shared)), "l"(from),
                 "r"(is_valid ? 8 : 0)
                 : "memory");
#endif
}
#endif

}  // namespace
}  // namespace crosswarp::gpu
