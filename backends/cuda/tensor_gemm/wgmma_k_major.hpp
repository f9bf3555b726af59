// wgmma on k-tiles in swizzled shared memory, both operands with rows along k: 8-bit floats, and floats as TF32. For
// files that need "ptx"; called by all threads of a warpgroup, where CROSSWARP_TARGET_HAS_WGMMA.
#pragma once

#include "backends/cuda/device/wgmma.hpp"
#include "backends/cuda/tensor_gemm/swizzled_tile.hpp"
#include "backends/cuda/tensor_gemm/wgmma_accumulators.hpp"
#include "core/float8.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_TARGET_HAS_WGMMA
// Operands after the accumulators: both descriptors, whether to accumulate, signs. `b_at` and `accumulate_at` are
// `count` + 1 and + 2.
#define CROSSWARP_WGMMA_K_MAJOR(columns, count, b_at, accumulate_at, types)                                \
  asm volatile("{\n.reg .pred accumulate;\nsetp.ne.b32 accumulate, %" #accumulate_at                       \
               ", 0;\n"                                                                                    \
               "wgmma.mma_async.sync.aligned.m64n" #columns types " {" CROSSWARP_WGMMA_##count##_REGISTERS \
               "}, %" #count ", %" #b_at ", accumulate, 1, 1;\n}"                                          \
               : CROSSWARP_WGMMA_##count##_ACC("+f", d)                                                    \
               : "l"(a), "l"(b), "r"(accumulate))
#define CROSSWARP_WGMMA_K_MAJOR_BY_TYPE(columns, count, b_at, accumulate_at)             \
  do {                                                                                   \
    if constexpr (std::is_same_v<A, E5m2>)                                               \
      CROSSWARP_WGMMA_K_MAJOR(columns, count, b_at, accumulate_at, "k32.f32.e5m2.e4m3"); \
    if constexpr (std::is_same_v<A, E4m3>)                                               \
      CROSSWARP_WGMMA_K_MAJOR(columns, count, b_at, accumulate_at, "k32.f32.e4m3.e4m3"); \
    if constexpr (std::is_same_v<A, float>)                                              \
      CROSSWARP_WGMMA_K_MAJOR(columns, count, b_at, accumulate_at, "k8.f32.tf32.tf32");  \
  } while (false)

/// d = a·b, of 64 rows and 2·`count` columns, 32 bytes deep, or d += a·b if `accumulate`. `A` is the type of A's
/// elements: E4m3 or E5m2 with a B of E4m3, or float for both, whose last 13 bits are dropped. Warp w of the warpgroup
/// holds rows 16·w and on of d, in registers as store_fragment() has them.
template <class A, unsigned count>
__device__ void wgmma_k_major(float (&d)[count], std::uint64_t a, std::uint64_t b, int accumulate) {
  static_assert(count == 32 || count == 64 || count == 96 || count == 128);
  if constexpr (count == 32) CROSSWARP_WGMMA_K_MAJOR_BY_TYPE(64, 32, 33, 34);
  if constexpr (count == 64) CROSSWARP_WGMMA_K_MAJOR_BY_TYPE(128, 64, 65, 66);
  if constexpr (count == 96) CROSSWARP_WGMMA_K_MAJOR_BY_TYPE(192, 96, 97, 98);
  if constexpr (count == 128) CROSSWARP_WGMMA_K_MAJOR_BY_TYPE(256, 128, 129, 130);
}
#undef CROSSWARP_WGMMA_K_MAJOR_BY_TYPE
#undef CROSSWARP_WGMMA_K_MAJOR

/// k-tiles of 128 bytes, for kernels over any type. C is bfloat16 or float.
template <class A>
struct WgmmaKMajor {
  static constexpr bool a_is_transposed = false, b_is_transposed = true, is_bf16 = true;

  /// Issues a k-tile's instructions as one group: 64 rows at the shared address `a`, 2·`count` columns at `b`. Without
  /// `accumulate` the old accumulators are dropped.
  template <unsigned count>
  __device__ static void multiply(float (&accumulators)[count], unsigned a, unsigned b, bool accumulate) {
    constexpr std::uint64_t layout = wgmma_layout(16, 8 * row_bytes, WgmmaSwizzle::bytes_128);
    constexpr unsigned bytes = 32;  // of an instruction, along k
    const std::uint64_t first_a = wgmma_descriptor(a, layout), first_b = wgmma_descriptor(b, layout);
    wgmma_fence();
#pragma unroll
    for (unsigned i = 0; i < row_bytes / bytes; ++i)
      wgmma_k_major<A>(accumulators, first_a + i * (bytes >> 4), first_b + i * (bytes >> 4), accumulate || i > 0);
    wgmma_commit_group();
  }
};
#endif

}  // namespace
}  // namespace crosswarp::gpu

#endif
